import { depositUserCode } from '@keyferry/crypto/deposit'
import { type Asker, askPerson } from '../delivery/ask-person.ts'
import { waitForDeposit } from '../delivery/wait.ts'
import type { Parts } from '../ground/parts.ts'
import { keepReceipt, requireReceiptFile } from '../receipt/keep-receipt.ts'
import { checkedDeposit } from './checked-deposit.ts'
import { type Content, sealDeposit } from './deposit-body.ts'
import { fetchDepositKey } from './deposit-key.ts'

export type Depositing = Omit<Asker, 'bundle'> & {
  readonly content: Content
  /** Where to write the receipt; null: nowhere. */
  readonly receiptFile: string | null
}

/** Store values on a server where people sign in: seal them to its deposit key, ask for an approval, and wait for the signed
 * receipt of what the server stored.
 * @throws CliError */
export async function storeWithApproval(depositing: Depositing, parts: Parts): Promise<void> {
  const { content, server, receiptFile } = depositing
  const { bundle, workspace } = content
  if (receiptFile !== null) requireReceiptFile(receiptFile)
  let sealedBox: Uint8Array = new Uint8Array()
  await askPerson(
    { ...depositing, bundle, workspace },
    {
      kind: 'deposit',
      keys: [...content.entries.map(({ name }) => name), ...content.detach],
      removes: content.detach.length,
      reasonFor: 'you change the bundle',
      prepare: async ({ keyPair: { publicKey }, verifier }) => {
        const key = await fetchDepositKey(server, parts)
        const { deposit, binding, box } = sealDeposit(content, { key, publicKey, verifier })
        sealedBox = box
        return {
          fields: { deposit },
          codeOf: (requestId) => depositUserCode(requestId, { publicKey, binding, box }),
        }
      },
      wait: async (pending, events) => {
        const receipt = await waitForDeposit(parts, pending, events)
        const stored = await checkedDeposit(receipt, { depositing, pending, box: sealedBox }, parts)
        if (receiptFile !== null) keepReceipt(receiptFile, receipt, server)
        return stored
      },
      tell: (view, stored) => view.stored(stored),
    },
    parts,
  )
}
