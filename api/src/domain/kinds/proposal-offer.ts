import { TIMES } from '@keyferry/contract'
import { digestOf } from '@keyferry/crypto/digest'
import { groundsOf, type OpenCall } from '../approvals/approval-grounds.ts'
import { type Grounds, refusalOf } from '../approvals/approval-rules.ts'
import { labelOf, requestOrigin } from '../approvals/request-delivery.ts'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError, listed } from '../base/errors.ts'
import { requireReached } from '../library/bundle.ts'
import type { Caller } from '../people/membership.ts'
import type { ApprovedDeposit } from '../requests/approved.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import { type ImportPlan, type LibraryImport, planChanged, readingOf } from '../transfer/library-import.ts'
import type { FoundKey, ImportEntry } from '../transfer/library-import-step.ts'
import {
  type NewProposal,
  type ProposalContent,
  type ProposalStore,
  replacedBy,
} from '../transfer/proposal.ts'
import {
  DEPOSIT_REFUSALS,
  importOf,
  type PlannedDeposit,
  type PlanParts,
  placesOf,
  plannedDeposit,
  type Treatment,
} from './deposit-plan.ts'

/*
 * What a person may not store, they can propose to the owners. Proposing is an approval of the deposit by its sender:
 * the same grade and the same return to the terminal, so a lure proposes nothing in the name of another person.
 */

export type ProposingParts = PlanParts & { stores: { proposals: ProposalStore } }

/** A deposit as its approver can have it. `proposal`: why they can only propose it, and who decides then. */
export type OfferedDeposit = {
  planned: PlannedDeposit
  grounds: Grounds
  proposal: { error: string; owners: string[] } | null
}

/** What the approver of a deposit sees before the click: the plan, or that they can only propose it.
 * @throws DomainError as `plannedDeposit`, but forbidden */
export async function offeredDeposit(
  parts: ProposingParts,
  asking: OpenCall,
  treatment: Treatment,
): Promise<OfferedDeposit> {
  const own = await ownOffer(parts, asking, treatment)
  if (typeof own !== 'string') return { ...own, proposal: null }
  const planned = await plannedProposal(parts, asking.caller, asking.stored.request)
  const people = await parts.stores.memberships.listActive(asking.caller.tenantId)
  const owners = people.filter(({ role }) => role === 'owner').map(({ username }) => username)
  return { planned, grounds: await groundsOf(parts, asking, planned), proposal: { error: own, owners } }
}

/** @returns why only an owner may store it, as a text */
async function ownOffer(parts: PlanParts, asking: OpenCall, treatment: Treatment) {
  const { role } = asking.caller
  try {
    const planned = await plannedDeposit(parts, asking, treatment)
    const grounds = await groundsOf(parts, asking, planned)
    const refusal = refusalOf(DEPOSIT_REFUSALS, grounds)
    const isForOthers = refusal?.code === 'owner_approves' || refusal?.code === 'named_approves'
    return role === 'owner' || !isForOthers ? { planned, grounds } : refusal.error
  } catch (error) {
    if (role === 'owner' || !(error instanceof DomainError) || error.code !== 'forbidden') throw error
    return whyNotTheirs(error.details)
  }
}

function whyNotTheirs(details: DomainError['details']): string {
  const { names, bundles } = details ?? {}
  if (!Array.isArray(names) || !Array.isArray(bundles) || bundles.length === 0)
    return 'You may not change this bundle'
  const [those, places] = [names, bundles].map((texts) => listed(texts, 3))
  const own = names.length === 1 ? 'its own value' : 'its own values'
  return `Only an owner may change ${those}, because ${places} ${bundles.length === 1 ? 'has' : 'have'} the same key. If an owner accepts your change request, this bundle gets ${own}`
}

/** A deposit that would be proposed. Every member may propose; all other rules of the bundle count.
 * @throws DomainError not_found · deposit_damaged · conflict (no deposit) */
export async function plannedProposal(
  parts: PlanParts,
  caller: Pick<Caller, 'tenantId' | 'reach'>,
  request: ApprovalRequest,
): Promise<PlannedDeposit> {
  const { asked: sent, choices, boxDigest } = await importOf(parts, request, {})
  if (sent.also.length > 0)
    throw new DomainError(
      'conflict',
      'Values for several bundles cannot be proposed: import one file at a time',
    )
  requireReached(caller, sent.bundleName)
  const { tenantId } = caller
  const { attached } = await parts.stores.imports.read(tenantId, readingOf(caller, sent))
  const asked = { ...sent, entries: sent.entries.map((entry) => markedAs(attached.get(entry.name), entry)) }
  const written = [{ bundleName: asked.bundleName, steps: [] }]
  const rules = await placesOf(parts.stores.bundles, tenantId, written)
  const bundleId = rules.places.find(({ name }) => name === asked.bundleName)?.id ?? null
  const names = asked.entries.map(({ name }) => name)
  const planId = digestOf(JSON.stringify([bundleId, asked.bundleName, names, asked.detach]))
  const plan = { bundleId, steps: [], removals: [], planId, also: [] }
  return { asked, choices, boxDigest, plan, people: 1, approvers: 'anyone', ...rules }
}

// A value without a mark keeps that of its key: owners read the new value of a variable that is not secret.
function markedAs(known: FoundKey | undefined, entry: ImportEntry): ImportEntry {
  const keepsOpen =
    entry.is_secret === undefined && known?.is_secret === false && known.templateParts === null
  return keepsOpen ? { ...entry, is_secret: false } : entry
}

/** Refuses what could not be kept, before the approval takes its way through the terminal.
 * @throws DomainError workspace_full */
export async function requireRoom(
  { stores }: ProposingParts,
  { tenantId, userId: proposerId }: Caller,
  content: ProposalContent,
): Promise<void> {
  replacedBy(await stores.proposals.known(tenantId), { ...content, proposerId })
}

type Proposing = {
  request: ApprovalRequest
  approval: ApprovedDeposit
  planned: { asked: LibraryImport; plan: Pick<ImportPlan, 'bundleId' | 'planId'> | null }
}

/** The proposal that an approval asks to keep.
 * @throws DomainError plan_changed: the bundle was made, renamed or deleted since */
export function proposalOf(
  parts: { clock: ClockAndIds },
  { request, approval, planned: { asked, plan } }: Proposing,
): NewProposal {
  if (plan?.planId !== approval.planId) throw planChanged()
  const { requester_ip: ip = '' } = requestOrigin(request)
  return {
    id: approval.depositId,
    ...contentOf({ asked, plan }, approval.readable ?? []),
    sender: { ...labelOf(request.requesterMeta), ip },
    until: timestamp(parts.clock, TIMES.proposalSeconds),
  }
}

/** @param readable names whose values owners may read */
export function contentOf(
  { asked, plan }: { asked: LibraryImport; plan: Pick<ImportPlan, 'bundleId'> },
  readable: readonly string[],
): ProposalContent {
  const shown = new Set(readable)
  const entries = asked.entries.map(({ name, is_secret }) => ({
    name,
    is_secret: is_secret !== false && !shown.has(name),
  }))
  const values = asked.entries.map(({ value }) => value)
  const { bundleName, detach } = asked
  return { bundleId: plan.bundleId, bundleName, entries, detach: [...detach], values }
}

/** The values that the terminal marked as not secret, which the proposer sees. */
export function offeredValues({ asked }: PlannedDeposit): Record<string, string> {
  const shown = asked.entries.filter(({ is_secret }) => is_secret === false)
  return Object.fromEntries(shown.map(({ name, value }) => [name, value]))
}
