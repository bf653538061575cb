import { type Assurance, isProduction, LIMITS, type RequestBundle } from '@keyferry/contract'
import { environmentOf } from '@keyferry/contract/siblings'
import type { z } from 'zod'
import { type Grounds, mayBeTask, type PlaceParts } from '../approvals/approval-rules.ts'
import { mismatch } from '../approvals/grant-match.ts'
import { type GrantUseParts, useGrantFor } from '../approvals/grant-use.ts'
import {
  type BundleRules,
  effectivePolicy,
  NO_RULES,
  type PolicyStore,
  strictestTouch,
  tightened,
  type ValueRules,
} from '../approvals/policy.ts'
import { addressBlock } from '../base/address-block.ts'
import type { Bundle } from '../library/bundle.ts'
import { type Approved, ApprovedDelivery } from '../requests/approved.ts'
import { openOfTerminal, type RequestParts } from '../requests/request.ts'
import { type ApprovalRequest, agentOf, isFree } from '../requests/stored-request.ts'

/*
 * A task: one approval for any command that one terminal runs with the same values, for half an hour. It is a
 * remembered approval (grant.ts) that does not compare the command. It is valid for `run` and `mcp`, if the terminal's
 * key, the network, the folder, the agent and the flags are those of its request, and the names are the same or fewer.
 * If it returned by a code, it delivers only the versions that it delivered first: an attacker who makes a person read
 * six digits aloud does not get later values. See docs/threat-model.md for what a task lets an attacker do.
 *
 * The page lists waiting requests of the terminal that the task would cover. Only those start with it. A request that
 * comes later asks a person, unless the task is already valid.
 */

type TaskOffer = z.output<typeof RequestBundle>['task']

type Offering = { bundle: Bundle; set: BundleRules; ofValues: readonly ValueRules[]; keys: readonly string[] }

/** What the page says of a task for these keys; undefined: this approval cannot be one. If no place sets the rule
 * `tasks`, an owner can allow tasks there first, and that agents are remembered; but not in a workspace where people
 * sign, because a change of rules is then signed too, and can wait. */
export async function offeredTask(
  parts: RequestParts & PlaceParts & { assurance: Assurance; stores: { policies: PolicyStore } },
  grounds: Grounds,
  { bundle, set, ofValues, keys }: Offering,
): Promise<TaskOffer> {
  const { caller, request } = grounds
  const also = async () => await coveredByTask(parts, request, keys)
  if (mayBeTask(grounds, parts)) return { also: await also() }
  if (caller.role !== 'owner' || agentOf(request) === null || isProduction(bundle)) return undefined
  const allowing = { ...NO_RULES, tasks: 'allow', agents: 'remember' } as const
  const own = effectivePolicy(parts.assurance, { ...set, folders: [...set.folders, allowing] }, bundle)
  if (!mayBeTask({ ...grounds, policy: tightened(own, ofValues) }, parts)) return undefined
  const { workspace, folders, bundles } = await parts.stores.policies.findPlaces(caller.tenantId)
  if (strictestTouch([workspace, ...folders.values(), ...bundles.values()]) !== 'none') return undefined
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
  const task = {
    ...command,
    use: use && { ...use, repository: undefined, network, task: {} },
    asked,
    keys: [...keys],
  }
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

/** Ids of the requests that start when the approval of this task returns. */
export function listedIn(approved: Approved | null | undefined): readonly string[] {
  if (approved?.kind !== 'delivery') return []
  return ApprovedDelivery.parse(approved).remember?.task?.also ?? []
}

/** Start the requests that the page listed, after the task has become valid. Each is checked like any use of a
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
