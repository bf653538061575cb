import { refusedAnswer } from '../base/cli-error.ts'
import { object } from '../base/shape.ts'
import type { SignedReceipt } from '../server/wait-answer.ts'
import {
  type RequestFacts,
  receiptList,
  receiptName,
  receiptText,
  requestFacts,
  verifiedFields,
} from './receipt.ts'

const DEPOSIT = object({
  workspace: receiptName,
  /** What happened to each: an action of an import. */
  variables: receiptList(object({ name: receiptText, action: receiptText })),
  /** ISO timestamp. */
  storedAt: receiptText,
})

/** What the server signed about one deposit. */
export type DepositReceipt = RequestFacts & ReturnType<typeof DEPOSIT>

/** Check the signature of the receipt of a deposit and read it.
 * @param publicKey of the server, 32 bytes
 * @throws CliError refused: not signed by this key, malformed, or not of a deposit */
export function readDepositReceipt(signed: SignedReceipt, publicKey: Uint8Array): DepositReceipt {
  const fields = verifiedFields(signed, publicKey)
  const receipt = depositReceiptIn(fields)
  if (receipt === null) throw refusedAnswer('the receipt is not for a deposit')
  return receipt
}

/** What the verified fields of a receipt say of a deposit; null: they are of a delivery.
 * @throws CliError refused: malformed */
export function depositReceiptIn(fields: Record<string, unknown>): DepositReceipt | null {
  if (fields['kind'] !== 'deposit') return null
  return { ...requestFacts(fields), ...DEPOSIT(fields) }
}

/** Whether the receipt is for the bundle and the variables of the deposit.
 * @throws CliError refused, naming what differs */
export function requireStored(
  receipt: DepositReceipt,
  { bundle, names }: { bundle: string; names: readonly string[] },
): void {
  if (receipt.bundle !== bundle) throw refusedAnswer('the receipt is for another bundle')
  const stored = receipt.variables.map(({ name }) => name)
  if (stored.toSorted().join('\n') === names.toSorted().join('\n')) return
  throw refusedAnswer('the receipt lists other names than the deposit')
}

/** How many variables had each action. */
export function countsOf({ variables }: DepositReceipt): Readonly<Record<string, number>> {
  const counts = new Map<string, number>()
  for (const { action } of variables) counts.set(action, (counts.get(action) ?? 0) + 1)
  return Object.fromEntries(counts)
}
