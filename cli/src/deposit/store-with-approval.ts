import { depositUserCode } from '@keyferry/crypto/deposit'
import { type Asker, askPerson } from '../delivery/ask-person.ts'
import { waitForDeposit } from '../delivery/wait.ts'
import type { Parts } from '../ground/parts.ts'
import { type Content, sealDeposit } from './deposit-body.ts'
import { fetchDepositKey } from './deposit-key.ts'

export type Depositing = Omit<Asker, 'bundle'> & { readonly content: Content }

/** Store values on a server where people sign in: seal them to its deposit key, ask for an approval, and wait until the server
 * says what it stored.
 * @throws CliError */
export async function storeWithApproval(depositing: Depositing, parts: Parts): Promise<void> {
  const { content, server } = depositing
  const { bundle, workspace } = content
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
        return {
          fields: { deposit },
          codeOf: (requestId) => depositUserCode(requestId, { publicKey, binding, box }),
        }
      },
      wait: (pending, events) => waitForDeposit(parts, pending, events),
      tell: (view, stored) => view.stored(stored),
    },
    parts,
  )
}
