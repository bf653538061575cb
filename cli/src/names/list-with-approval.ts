import type { KeyPair } from '@keyferry/crypto/key-pair'
import { refusedAnswer } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { list, nullable, number, object, oneOf, or, parseObject, read, shown, where } from '../base/shape.ts'
import { requireReason } from '../delivery/agent.ts'
import { requestedWorkspace, requireRequested } from '../delivery/confirm-workspace.ts'
import { openBox } from '../delivery/delivered-values.ts'
import { requestApproval } from '../delivery/request-approval.ts'
import type { RequestOptions } from '../delivery/values-request.ts'
import { deliveryIn } from '../delivery/wait.ts'
import { listedBundle, listedName } from '../server/bundles.ts'
import { named } from '../server/wait-answer.ts'
import { inWorkspace, type WaitingOutcome } from '../terminal/waiting-view.ts'

/** List the names of a bundle, or the bundles of a workspace, on a server where people sign in: ask for an approval,
 * and open the list that comes sealed. No value comes with it.
 * @throws CliError */
export async function listWithApproval(options: RequestOptions, parts: Parts): Promise<OpenedList> {
  const { bundle: requested } = options
  requireReason(options, 'why these names are needed')
  const expected = await requestedWorkspace(options, parts)
  return await requestApproval<OpenedList>(
    {
      name: 'names',
      keys: [],
      open: async (arrived, { keyPair }, ask) => {
        const { ciphertextBase64, receipt } = deliveryIn(arrived)
        const end = openList(ciphertextBase64, { keyPair, asksForBundle: requested !== null })
        await requireRequested(expected, end, { ask, parts })
        return { end, outcome: listedOutcome(end, requested), receipt }
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
  /** Usernames; an older server does not say. */
  approvers: or(list(shown(80)), []),
  names: list(listedName),
  bundles: list(listedBundle),
  /** Bundles whose rules do not allow it. */
  leftOut: or(number, 0),
})
type OpenedList = ReturnType<typeof LIST>

function noList(): Error {
  return refusedAnswer('the server sent another list than the requested one')
}

/** What is listed, in words: `approved by sam: 3 names of dev/app in workspace "Acme"`.
 * @param requested the bundle, by name or id; null: bundles are listed */
function listedOutcome(opened: OpenedList, requested: string | null): WaitingOutcome {
  const { bundle, leftOut, approvers } = opened
  const by = approvers.length === 0 ? '' : ` by ${approvers.join(' and ')}`
  const workspace = opened.workspace.name
  const count = bundle === null ? opened.bundles.length : opened.names.length
  const thing = `${bundle === null ? 'bundle' : 'name'}${count === 1 ? '' : 's'}`
  const of = bundle === null ? '' : ` of ${printable(bundle.name, 80)}`
  return {
    event: { event: 'listed', bundle: bundle?.name ?? null, workspace, count, left_out: leftOut, approvers },
    text: `approved${by}: ${count} ${thing}${of}${inWorkspace(workspace)}`,
    notes: [...otherBundle(opened, requested), ...leftOutText(leftOut)],
  }
}

function otherBundle({ bundle }: OpenedList, requested: string | null): string[] {
  if (bundle === null || bundle.name === requested || bundle.id === requested?.toLowerCase()) return []
  return [`the approver chose ${printable(bundle.name, 80)}, but ${requested} was requested`]
}

function leftOutText(count: number): string[] {
  if (count === 0) return []
  return count === 1
    ? ['1 bundle is left out: its rules do not allow this list']
    : [`${count} bundles are left out: their rules do not allow this list`]
}
