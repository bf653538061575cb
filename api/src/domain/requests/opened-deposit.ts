import { Seen } from '@keyferry/contract'
import { valueProblem } from '@keyferry/contract/env'
import { CryptoError } from '@keyferry/crypto/crypto-error'
import { wipe } from '@keyferry/crypto/key-pair'
import { open } from '@keyferry/crypto/open'
import { boxDigest } from '@keyferry/crypto/receipt'
import { z } from 'zod'
import { DomainError } from '../base/errors.ts'
import type { DepositKeyStore } from '../transfer/deposit-key.ts'
import { baseOf, type ImportBase, type ImportEntry } from '../transfer/library-import-step.ts'
import { bindingOf } from './new-deposit.ts'
import { publicKeyOf, type RequestParts, requestNotFound } from './request.ts'
import { DepositBox } from './stored-deposit.ts'
import type { ApprovalRequest } from './stored-request.ts'

const Opened = z.object({
  v: z.literal(1),
  binding: z.string(),
  values: z.array(z.string()),
  seen: Seen.optional(),
})

type OpeningParts = RequestParts & { stores: { depositKeys: DepositKeyStore } }

/** A deposit with its values, and how its client wants them treated. */
export type OpenedDeposit = Pick<DepositBox, 'detach' | 'own' | 'share' | 'replace'> & {
  entries: readonly ImportEntry[]
  /** Entries of other bundles. */
  also: readonly { bundle: string; entries: readonly ImportEntry[] }[]
  base: ImportBase
  /** Of the sealed box, 64 hex digits. */
  boxDigest: string
}

/** Open the box of a deposit. Its values exist in this process only, until they are encrypted for the library.
 * @throws DomainError not_found (the box is gone) · deposit_damaged (it does not open, or was sealed for other names)
 *   */
export async function openDeposit(parts: OpeningParts, request: ApprovalRequest): Promise<OpenedDeposit> {
  const text = await parts.requests.box(request.id, parts.clock.now().getTime())
  if (text === null) throw requestNotFound()
  const box = DepositBox.parse(JSON.parse(text))
  const { binding, values, seen } = await unsealed(parts, box)
  const expected = bindingOf(box, { ...request, publicKey: publicKeyOf(request.publicKey) })
  const count = [box, ...box.also].reduce((sum, { entries }) => sum + entries.length, 0)
  if (binding !== expected || values.length !== count) throw damaged('it was sealed for other names')
  const left = values.values()
  const openedEntries = ({ entries }: Pick<DepositBox, 'entries'>) =>
    entries.map(({ name, is_secret }) => ({
      name,
      value: usable(left.next().value ?? '', name),
      is_secret: is_secret ?? undefined,
    }))
  const entries = openedEntries(box)
  const also = box.also.map((other) => ({ bundle: other.bundle, entries: openedEntries(other) }))
  const { detach, own, share, replace } = box
  return {
    entries,
    also,
    base: baseOf(seen, request.requesterMeta.requested_at),
    detach,
    own,
    share,
    replace,
    boxDigest: boxDigest(Buffer.from(box.ciphertextBase64, 'base64')),
  }
}

async function unsealed(
  { stores }: OpeningParts,
  { kid, ciphertextBase64 }: DepositBox,
): Promise<z.infer<typeof Opened>> {
  const key = await stores.depositKeys.find(kid)
  if (key === null) throw damaged('its key is no longer in use')
  const bytes = opened(Buffer.from(ciphertextBase64, 'base64'), key.pair)
  try {
    return Opened.parse(JSON.parse(Buffer.from(bytes).toString('utf8')))
  } catch {
    throw damaged('it does not hold values in the form that docs/deposits.md describes')
  } finally {
    wipe(bytes)
  }
}

function opened(box: Uint8Array, pair: Parameters<typeof open>[1]): Uint8Array {
  try {
    return open(box, pair)
  } catch (error) {
    if (error instanceof CryptoError) throw damaged('it was changed, or sealed to another key')
    throw error
  }
}

function usable(value: string, name: string): string {
  const problem = valueProblem(value)
  if (problem !== null) throw damaged(`the value of ${name} ${problem}`)
  return value
}

// Without the cause, which could show a piece of a value.
function damaged(why: string): DomainError {
  return new DomainError(
    'deposit_damaged',
    `The deposit cannot be stored: ${why}. Deny it and run the command again.`,
  )
}
