import { areSiblings, type EncryptFromBundle, LIMITS, type RequestBundle, TIMES } from '@keyferry/contract'
import { isKeyName } from '@keyferry/contract/env/names'
import type { z } from 'zod'
import type { OpenCall } from '../approvals/approval-grounds.ts'
import { DELIVERY_REFUSALS, type Grounds, refusalOf, waysOf } from '../approvals/approval-rules.ts'
import { labelOf, requestOrigin } from '../approvals/request-delivery.ts'
import { isSameNetwork } from '../base/address-block.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type Bundle, type BundleStore, listBundles } from '../library/bundle.ts'
import { bundleEntries, type EntryStores } from '../library/bundle-entry.ts'
import { requireBundleEditor } from '../library/bundle-rights.ts'
import type { Caller } from '../people/membership.ts'
import { type ApprovalRequest, agentOf, isFree } from '../requests/stored-request.ts'
import type { NewProposal } from '../transfer/proposal.ts'

/*
 * The approver may type values that the client requested and the bundle lacks. They are sealed to the client beside the
 * others, and the server keeps them nowhere, except as a proposal to the owners. A lure could ask for a value of any
 * name, so the approval must return to a terminal in the approver's own network, and the page says who asked.
 */

/** What the approver of values chooses. */
export type ValuesChoice = z.output<typeof EncryptFromBundle>
type MayType = NonNullable<z.output<typeof RequestBundle>['may_type']>
type TypingParts = { stores: EntryStores & { bundles: BundleStore } }

/** What the approver may type; undefined: nothing.
 * @param delivered the names that the bundle delivers */
export async function typeableNames(
  parts: TypingParts,
  { asking, grounds, bundle }: { asking: OpenCall; grounds: Grounds; bundle: Bundle },
  delivered: readonly string[],
): Promise<MayType | undefined> {
  const has = new Set(delivered)
  const asked = new Set(asking.stored.request.templateKeys.filter(isKeyName))
  const missing = [...asked].filter((name) => !has.has(name))
  if (missing.length === 0 || !mayType(grounds, asking)) return undefined
  const known = await namesOfSiblings(parts, bundle)
  return {
    names: missing.slice(0, LIMITS.depositEntries).map((name) => ({ name, known: known.has(name) })),
    keep: await keepingOf(parts, asking.caller, { bundle, grounds }),
  }
}

/** Never for an agent, another network, or where another person vouches or approves too. */
function mayType(grounds: Grounds, { caller, stored }: OpenCall): boolean {
  const { policy, request } = grounds
  const decidesAlone = isFree(stored) && policy.approvals_needed === 1
  const isHere = isSameNetwork(request.requesterMeta.ip, caller.origin?.ip ?? '') === true
  const mayApprove = refusalOf(DELIVERY_REFUSALS, grounds) === null && waysOf(grounds).length > 0
  return mayApprove && decidesAlone && isHere && agentOf(request) === null
}

// A value that is stored under a rule for signatures has a statement of its own, which the approval page does not show.
async function keepingOf(
  { stores }: TypingParts,
  caller: Caller,
  { bundle, grounds }: { bundle: Bundle; grounds: Grounds },
): Promise<MayType['keep']> {
  try {
    await requireBundleEditor(stores.bundles, caller, bundle.id)
  } catch (error) {
    if (error instanceof DomainError && error.code === 'forbidden') return 'propose'
    throw error
  }
  return grounds.policy.touch === 'none' ? 'store' : null
}

async function namesOfSiblings({ stores }: TypingParts, bundle: Bundle): Promise<ReadonlySet<string>> {
  const names = new Set<string>()
  const { chunks } = await listBundles(
    stores.bundles,
    { tenantId: bundle.tenant_id },
    { filter: {}, page: {} },
  )
  let left = LIMITS.comparedBundles
  for await (const found of chunks)
    for (const { id, tenant_id: tenantId } of found.filter(({ name }) => areSiblings(name, bundle.name))) {
      if (left-- <= 0) return names
      for (const { name } of await bundleEntries(stores, { tenantId, bundleId: id }, 'none')) names.add(name)
    }
  return names
}

/** Refuses typed values that the approver was not offered, and those without a return to the terminal.
 * @throws DomainError invalid · conflict (the bundle delivers a name by now) */
export async function requireTypeable(
  parts: TypingParts,
  { asking, grounds, bundle }: { asking: OpenCall; grounds: Grounds; bundle: Bundle },
  choice: ValuesChoice,
): Promise<void> {
  if (choice.typed.length === 0) return
  const { release, remember_hours, remember_for } = choice
  if (release === undefined || remember_hours !== undefined || remember_for === 'task')
    throw refused('typed values need an approval that returns to the terminal and is not remembered')
  const place = { tenantId: bundle.tenant_id, bundleId: bundle.id }
  const delivered = (await bundleEntries(parts.stores, place, 'none')).map(({ name }) => name)
  const names = choice.typed.map(({ name }) => name)
  const taken = names.filter((name) => delivered.includes(name))
  if (taken.length > 0)
    throw new DomainError(
      'conflict',
      `The bundle has ${taken.join(', ')} now: load the page again, then decide`,
    )
  const offered = await typeableNames(parts, { asking, grounds, bundle }, delivered)
  if (offered === undefined) throw refused('values cannot be typed for this request')
  const known = new Set(offered.names.map(({ name }) => name))
  if (!names.every((name) => known.has(name))) throw refused('typed names were not requested')
  const isProposed = choice.typed.some(({ propose }) => propose)
  if (isProposed && offered.keep !== 'propose') throw refused('you may change this bundle: store the values')
}

function refused(message: string): DomainError {
  return new DomainError('invalid', message, { details: { field: 'typed' } })
}

/** The proposal that goes with typed values; null: none. Its values are secret to the owners unless the approver says
 * otherwise. */
export function proposalOfTyped(
  clock: ClockAndIds,
  { request, bundle, typed }: { request: ApprovalRequest; bundle: Bundle; typed: ValuesChoice['typed'] },
): NewProposal | null {
  const proposed = typed.filter(({ propose }) => propose)
  if (proposed.length === 0) return null
  const { requester_ip: ip = '' } = requestOrigin(request)
  return {
    id: clock.newId(),
    bundleId: bundle.id,
    bundleName: bundle.name,
    entries: proposed.map(({ name, is_secret }) => ({ name, is_secret })),
    detach: [],
    values: proposed.map(({ value }) => value),
    sender: { ...labelOf(request.requesterMeta), ip },
    until: timestamp(clock, TIMES.proposalSeconds),
  }
}
