import { type Assurance, isProduction, LIMITS, type RequestBundle } from '@keyferry/contract'
import { environmentOf } from '@keyferry/contract/siblings'
import type { z } from 'zod'
import { type Grounds, isFromAgent, mayBeTask } from '../approvals/approval-rules.ts'
import { agentOf } from '../approvals/grant.ts'
import { mismatch, type PlaceParts } from '../approvals/grant-match.ts'
import { type GrantUseParts, useGrantFor } from '../approvals/grant-use.ts'
import {
  type BundleRules,
  effectivePolicy,
  NO_RULES,
  tightened,
  type ValueRules,
} from '../approvals/policy.ts'
import { addressBlock } from '../base/address-block.ts'
import type { Bundle } from '../library/bundle.ts'
import { type Approved, ApprovedDelivery } from '../requests/approved.ts'
import { openOfTerminal, type RequestParts } from '../requests/request.ts'
import { type ApprovalRequest, isFree } from '../requests/stored-request.ts'

/*
 * A task: one yes for any command that a program of one terminal runs with the same values, for half an hour. It is a
 * remembered approval (grant.ts) that does not look at the command. It is valid for the terminal's key, the network and
 * the folder of its request, the same agent, the same flags, the same names or fewer, and for `run` and `mcp`. What was
 * approved by a code gives only the versions that it gave first, so six digits that somebody reads aloud do not give
 * what changes later. See docs/threat-model.md for what a task lets an attacker do.
 *
 * The page lists the requests of the terminal that wait and that the task would cover. Those start with it, and no
 * others: what comes after the page was read asks again, unless the task is given by then.
 */

type TaskOffer = z.output<typeof RequestBundle>['task']

type Offering = { bundle: Bundle; set: BundleRules; ofValues: readonly ValueRules[]; keys: readonly string[] }

/** What the page says of a task for these keys; undefined: this approval cannot be one. An owner whose places allow no
 * task, because none of them says anything of it, can allow it there first, for agents as for people. */
export async function offeredTask(
  parts: RequestParts & PlaceParts & { assurance: Assurance },
  grounds: Grounds,
  { bundle, set, ofValues, keys }: Offering,
): Promise<TaskOffer> {
  const { caller, request } = grounds
  const also = async () => await coveredByTask(parts, request, keys)
  if (mayBeTask(grounds, parts)) return { also: await also() }
  if (caller.role !== 'owner' || !isFromAgent(request) || isProduction(bundle)) return undefined
  const allowing = { ...NO_RULES, tasks: 'allow', agents: 'remember' } as const
  const own = effectivePolicy(parts.assurance, { ...set, folders: [...set.folders, allowing] }, bundle)
  if (!mayBeTask({ ...grounds, policy: tightened(own, ofValues) }, parts)) return undefined
  const environment = environmentOf(bundle.name)
  return { rule: { folder: environment === '' ? null : `${environment}/` }, also: await also() }
}

async function coveredByTask(
  parts: RequestParts,
  request: ApprovalRequest,
  keys: readonly string[],
): Promise<{ request_id: string; argv: string[] }[]> {
  const { cwd, use, requesterMeta, templateKeys: asked, suggestedBundle, suggestedWorkspace } = request
  const network = addressBlock(requesterMeta.ip)
  const command = { argv: [], argvMasked: null, cwd: cwd ?? '', agent: agentOf(request) }
  const task = { ...command, use: use && { ...use, network, task: {} }, asked, keys: [...keys] }
  const isSamePlace = (other: ApprovalRequest) =>
    other.suggestedBundle === suggestedBundle && other.suggestedWorkspace === suggestedWorkspace
  const covered = (await openOfTerminal(parts, request)).filter(
    (stored) =>
      isFree(stored) &&
      stored.leftAtMs === undefined &&
      isSamePlace(stored.request) &&
      mismatch(task, stored.request) === null,
  )
  return covered
    .toReversed()
    .slice(0, LIMITS.taskStarts)
    .map(({ request: { id, argv } }) => ({ request_id: id, argv: argv ?? [] }))
}

/** The requests that the approver let start with a task, when its approval returns. */
export function listedIn(approved: Approved | null | undefined): readonly string[] {
  if (approved?.kind !== 'delivery') return []
  return ApprovedDelivery.parse(approved).remember?.task?.also ?? []
}

/** Start requests that the page listed, now that the terminal of this one has its task. Each is checked as any use of a
 * remembered approval. */
export async function startWithTask(
  parts: GrantUseParts,
  request: ApprovalRequest,
  also: readonly string[],
): Promise<void> {
  if (also.length === 0) return
  const waiting = (await openOfTerminal(parts, request)).map((stored) => stored.request)
  await useGrantFor(
    parts,
    waiting.filter(({ id }) => also.includes(id)),
  )
}
