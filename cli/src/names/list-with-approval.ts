import type { KeyPair } from '@keyferry/crypto/key-pair'
import { refusedAnswer } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { list, object, oneOf, or, parseObject, read, shown, where } from '../base/shape.ts'
import { requireReason } from '../delivery/agent.ts'
import { requestedWorkspace, requireRequested } from '../delivery/confirm-workspace.ts'
import { openBox } from '../delivery/delivered-values.ts'
import { requestApproval } from '../delivery/request-approval.ts'
import type { RequestOptions } from '../delivery/values-request.ts'
import { deliveryIn } from '../delivery/wait.ts'
import { listedName } from '../server/bundles.ts'
import { named } from '../server/wait-answer.ts'
import { inWorkspace, type WaitingOutcome } from '../terminal/waiting-view.ts'

/** List the names of a bundle on a server where people sign in: ask for an approval, and open the list that comes
 * sealed. No value comes with it.
 * @throws CliError */
export async function listWithApproval(
  options: RequestOptions & { readonly bundle: string },
  parts: Parts,
): Promise<OpenedList> {
  requireReason(options, 'why this list is needed')
  const expected = await requestedWorkspace(options, parts)
  return await requestApproval<OpenedList>(
    {
      name: 'names',
      keys: [],
      open: async (arrived, { keyPair }, ask) => {
        const { ciphertextBase64, receipt } = deliveryIn(arrived)
        const end = openList(ciphertextBase64, keyPair)
        await requireRequested(expected, end, { ask, parts })
        return { end, outcome: listedOutcome(end, options.bundle), receipt }
      },
    },
    options,
    parts,
  )
}

/** Open a sealed list, and check that it is what was asked for.
 * @throws CliError refused */
function openList(ciphertextBase64: string, keyPair: KeyPair): OpenedList {
  return read(parseObject(openBox(ciphertextBase64, keyPair)), LIST, noList)
}

function noList(): Error {
  return refusedAnswer('the server sent another list than the requested one')
}

/** What an approver let this terminal list. */
const LIST = object({
  v: where((value): value is 1 => value === 1),
  kind: oneOf('names'),
  bundle: named,
  workspace: named,
  /** Usernames; an older server does not say. */
  approvers: or(list(shown(80)), []),
  names: list(listedName),
})
type OpenedList = ReturnType<typeof LIST>

/** What is listed, in words: `approved by sam: 3 variables of dev/app in workspace "Acme"`.
 * @param requested the bundle, by name or id */
function listedOutcome(
  { bundle, names, workspace, approvers }: OpenedList,
  requested: string,
): WaitingOutcome {
  const by = approvers.length === 0 ? '' : ` by ${approvers.join(' and ')}`
  const thing = names.length === 1 ? 'variable' : 'variables'
  const isOther = bundle.name !== requested && bundle.id !== requested.toLowerCase()
  return {
    event: {
      event: 'listed',
      bundle: bundle.name,
      workspace: workspace.name,
      count: names.length,
      approvers,
    },
    text: `approved${by}: ${names.length} ${thing} of ${printable(bundle.name, 80)}${inWorkspace(workspace.name)}`,
    notes: isOther
      ? [`the approver chose ${printable(bundle.name, 80)}, but ${requested} was requested`]
      : [],
  }
}
