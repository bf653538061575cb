import { LibraryContent, type SealedLibrary } from '@keyferry/contract'
import { CryptoError } from '@keyferry/crypto/crypto-error'
import { digestOf } from '@keyferry/crypto/digest'
import { type KeyPair, wipe } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import type { Caller } from '../people/membership.ts'
import type { DepositKeyStore } from './deposit-key.ts'
import { planChanged } from './library-import.ts'
import { type MoveSteps, planMove, type ReceivingLibrary, requireWhole } from './library-move-plan.ts'

/*
 * A library moves from one server to another in a file that is sealed to the receiving server's deposit key. An owner
 * of the receiving workspace looks at the plan and has exactly that plan carried out, all or nothing.
 */

/** What a move reads of a library. */
export type MoveReading = { bundleNames: readonly string[]; keyNames: readonly string[] }

/** `ids`: a new id for each bundle and key, in the order of the steps. */
export type MoveChange = MoveSteps & { ids: { bundles: string[]; keys: string[] }; stamp: Stamp }

export interface LibraryMoveStore {
  read(tenantId: string, reading: MoveReading): Promise<ReceivingLibrary>
  /** Read a library, let `decide` plan, and make the change, all in one transaction. Nothing is changed when `decide`
   * throws.
   * @returns null if another call changed the library in between; then nothing is changed */
  carryOut(
    tenantId: string,
    reading: MoveReading,
    decide: (library: ReceivingLibrary) => MoveChange,
  ): Promise<MoveChange | null>
}

type MoveParts = { stores: { moves: LibraryMoveStore; depositKeys: DepositKeyStore }; clock: ClockAndIds }

export type Move = { sealed: z.output<typeof SealedLibrary>; isDryRun: boolean; planId: string | undefined }

/** `bundleIds`: null for each bundle of a plan that is not carried out, or that is left out. */
export type MoveOutcome = MoveSteps & { planId: string; bundleIds: readonly (string | null)[] }

/** Move a library into the caller's workspace, or say what that would do.
 * @throws DomainError invalid: the file is not sealed to this server, or is damaged · plan_changed · bundle_full ·
 *   workspace_full */
export async function moveLibrary(
  { stores: { moves, depositKeys }, clock }: MoveParts,
  caller: Caller,
  { sealed, isDryRun, planId }: Move,
): Promise<MoveOutcome> {
  const content = await opened(depositKeys, sealed)
  const reading = {
    bundleNames: content.bundles.map(({ name }) => name),
    keyNames: content.keys.map(({ name }) => name),
  }
  if (isDryRun) {
    const steps = planMove(await moves.read(caller.tenantId, reading), content)
    return { ...steps, planId: planIdOf(sealed, steps), bundleIds: steps.bundles.map(() => null) }
  }
  const change = await moves.carryOut(caller.tenantId, reading, (library) => {
    const steps = planMove(library, content)
    if (planId !== undefined && planId !== planIdOf(sealed, steps)) throw planChanged()
    return changeOf(steps, caller, clock)
  })
  if (change === null) throw planChanged()
  const bundleIds = change.bundles.map(({ action }, index) =>
    action === 'create' ? (change.ids.bundles[index] ?? null) : null,
  )
  return { ...change, planId: planIdOf(sealed, change), bundleIds }
}

function changeOf(steps: MoveSteps, caller: Caller, clock: ClockAndIds): MoveChange {
  const ids = { bundles: steps.bundles.map(clock.newId), keys: steps.keys.map(clock.newId) }
  return { ...steps, ids, stamp: stampOf(caller, clock) }
}

function planIdOf({ box_base64 }: Move['sealed'], { bundles, keys }: MoveSteps): string {
  const seen = keys.map(({ action, keyName, existing }) => [
    action,
    keyName,
    ...(existing === null ? [] : [existing.id, existing.value_version, existing.is_secret]),
  ])
  return digestOf(JSON.stringify([box_base64, bundles.map(({ action }) => action), seen]))
}

async function opened(depositKeys: DepositKeyStore, { kid, box_base64 }: Move['sealed']) {
  const key = await depositKeys.find(kid)
  if (key === null) throw unreadable('it is sealed to another server, or to a key that is no longer in use')
  const bytes = unsealed(Buffer.from(box_base64, 'base64'), key.pair)
  try {
    const content = parsed(Buffer.from(bytes).toString('utf8'))
    requireWhole(content)
    return content
  } finally {
    wipe(bytes)
  }
}

function unsealed(box: Uint8Array, pair: KeyPair): Uint8Array {
  try {
    return open(box, pair)
  } catch (error) {
    if (error instanceof CryptoError) throw unreadable('it was changed')
    throw error
  }
}

// Without the cause, which could show a piece of a value.
function parsed(text: string): LibraryContent {
  try {
    return LibraryContent.parse(JSON.parse(text))
  } catch {
    throw unreadable('it does not hold a library that this version knows')
  }
}

function unreadable(why: string): DomainError {
  return new DomainError('invalid', `the library file cannot be read: ${why}. Export it again.`)
}
