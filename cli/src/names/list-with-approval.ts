import { userCode } from '@keyferry/crypto/user-code'
import { type Asker, askPerson } from '../delivery/ask-person.ts'
import { waitForDelivery } from '../delivery/wait.ts'
import type { Parts } from '../ground/parts.ts'
import { type OpenedList, openList } from './opened-list.ts'

/** List the names of a bundle, or the bundles of a workspace, on a server where people sign in: ask for an approval, and open
 * the list that comes sealed. No value comes with it.
 * @throws CliError */
export async function listWithApproval(asker: Asker, parts: Parts): Promise<OpenedList> {
  const asksForBundle = asker.bundle !== null
  return await askPerson(
    asker,
    {
      kind: 'names',
      keys: [],
      reasonFor: 'these names are needed',
      prepare: async ({ keyPair: { publicKey } }) => ({
        fields: {},
        codeOf: (requestId) => userCode(requestId, publicKey),
      }),
      wait: async (pending, events) => {
        const { ciphertextBase64 } = await waitForDelivery(parts, pending, events)
        return openList(ciphertextBase64, { keyPair: pending.keyPair, asksForBundle })
      },
      tell: (view, { bundle, workspace, names, bundles, leftOut }) =>
        view.listed({
          requested: asker.bundle,
          bundle,
          workspace: workspace.name,
          count: bundle === null ? bundles.length : names.length,
          leftOut,
        }),
    },
    parts,
  )
}
