import type { KeyPair } from '@keyferry/crypto/key-pair'
import { refusedAnswer } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { list, nullable, number, object, oneOf, or, parseObject, read, where } from '../base/shape.ts'
import { openBox } from '../delivery/delivered-values.ts'
import { requestApproval } from '../delivery/request-approval.ts'
import type { RequestOptions } from '../delivery/values-request.ts'
import { waitForDelivery } from '../delivery/wait.ts'
import { listedBundle, listedName } from '../server/bundles.ts'
import { type Delivery, named } from '../server/wait-answer.ts'
import { listedOutcome } from '../terminal/outcome.ts'

/** List the names of a bundle, or the bundles of a workspace, on a server where people sign in: ask for an approval, and open
 * the list that comes sealed. No value comes with it.
 * @throws CliError */
export async function listWithApproval(options: RequestOptions, parts: Parts): Promise<OpenedList> {
  const { bundle: requested } = options
  return await requestApproval<Delivery, OpenedList>(
    {
      name: 'names',
      keys: [],
      reasonFor: 'why these names are needed',
      wait: async (pending, events) => await waitForDelivery(parts, pending, events),
      open: async ({ ciphertextBase64 }, { keyPair }, view) => {
        const opened = openList(ciphertextBase64, { keyPair, asksForBundle: requested !== null })
        const { bundle, workspace, names, bundles, leftOut } = opened
        const count = bundle === null ? bundles.length : names.length
        view.finished(listedOutcome({ requested, bundle, workspace: workspace.name, count, leftOut }))
        return opened
      },
    },
    options,
    parts,
  )
}

/** Open a sealed list, and check that it is what was asked for: the names of a bundle, or bundles.
 * @throws CliError refused */
function openList(
  ciphertextBase64: string,
  { keyPair, asksForBundle }: { keyPair: KeyPair; asksForBundle: boolean },
): OpenedList {
  const opened = read(parseObject(openBox(ciphertextBase64, keyPair)), LIST, noList)
  if (asksForBundle === (opened.bundle !== null)) return opened
  throw noList()
}

/** What an approver let this terminal list. */
const LIST = object({
  v: where((value): value is 1 => value === 1),
  kind: oneOf('names'),
  bundle: nullable(named),
  workspace: named,
  names: list(listedName),
  bundles: list(listedBundle),
  /** Bundles whose rules do not allow it. */
  leftOut: or(number, 0),
})
type OpenedList = ReturnType<typeof LIST>

function noList(): Error {
  return refusedAnswer('the server sent another list than the requested one')
}
