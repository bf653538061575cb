import type { AcceptProposal, PlanProposal } from '@keyferry/contract'
import type { z } from 'zod'
import { DomainError } from '../base/errors.ts'
import type { BundleStore } from '../library/bundle.ts'
import type { Caller } from '../people/membership.ts'
import {
  type ImportPlan,
  importVariables,
  type LibraryImport,
  type LibraryImportStore,
  planOf,
} from '../transfer/library-import.ts'
import { choicesOf, type ImportStep } from '../transfer/library-import-step.ts'
import { type ProposalParts, proposalNotFound } from '../transfer/proposal.ts'
import { type DepositPlaces, placesOf, shownValues } from './deposit-plan.ts'

/*
 * How an owner stores a proposal: by an import that gives the bundle its own values, unless the owner chooses to share
 * or to replace. The plan is made anew when the library changed, and again in the transaction that stores.
 */

type ProposalStoringParts = ProposalParts & { stores: { bundles: BundleStore; imports: LibraryImportStore } }

type ProposalChoice = { proposalId: string; choice: z.output<typeof PlanProposal> }

export type PlannedProposal = Pick<DepositPlaces, 'changes' | 'production'> & {
  plan: ImportPlan
  bundleName: string
  /** Names whose values the proposer lets owners read. */
  readable: ReadonlySet<string>
}

/** What storing a proposal would do now.
 * @throws DomainError not_found · conflict (its bundle was deleted) · what `planOf` throws */
export async function planProposal(
  parts: ProposalStoringParts,
  caller: Caller,
  asked: ProposalChoice,
): Promise<PlannedProposal> {
  const { imported, readable } = await importOf(parts, caller, asked)
  const plan = await planOf({ ...parts.stores, clock: parts.clock }, caller, imported)
  const { bundleName } = imported
  const written = [{ bundleName, steps: plan.steps }]
  const { changes, production } = await placesOf(parts.stores.bundles, caller.tenantId, written)
  return { plan, bundleName, readable, changes, production }
}

/** Store a proposal as its plan says. It ends in the same transaction, so it is stored at most once.
 * @throws DomainError plan_changed · as `planProposal` */
export async function acceptProposal(
  parts: ProposalStoringParts,
  caller: Caller,
  { proposalId, choice }: { proposalId: string; choice: z.output<typeof AcceptProposal> },
): Promise<void> {
  const { imported } = await importOf(parts, caller, { proposalId, choice })
  const imports = { imports: parts.stores.imports, clock: parts.clock }
  await importVariables(imports, caller, { ...imported, planId: choice.plan_id })
}

async function importOf(
  { stores }: ProposalStoringParts,
  { tenantId }: Caller,
  { proposalId, choice }: ProposalChoice,
) {
  const proposal = await stores.proposals.open(tenantId, proposalId)
  if (proposal === null) throw proposalNotFound()
  const { bundleName, entries, values, detach, proposerId, createdAt } = proposal
  if (bundleName === null)
    throw new DomainError('conflict', 'The bundle of this change request was deleted: decline it')
  const { own = [], share = [], replace = [], key_names = {}, marks = {} } = choice
  const imported: LibraryImport = {
    bundleName,
    // What the proposer did not let the owners read does not become readable through the mark of a known key.
    entries: entries.map(({ name, is_secret }, at) => ({
      name,
      value: values[at] ?? '',
      is_secret: marks[name] ?? (is_secret || undefined),
    })),
    detach,
    choices: choicesOf({ own, share, replace, key_names }),
    base: { seen: null, since: createdAt },
    planId: undefined,
    proposal: { id: proposalId, proposerId },
  }
  const readable = new Set(entries.filter(({ is_secret }) => !is_secret).map(({ name }) => name))
  return { imported, readable }
}

/** The values of a step that an owner may see: the proposer's word decides about the new one. */
export function valuesForOwner(step: ImportStep, readable: ReadonlySet<string>) {
  const { old_value } = shownValues(step)
  const isReadable = readable.has(step.entry.name)
  return {
    ...(old_value === undefined ? {} : { old_value }),
    ...(isReadable ? { new_value: step.entry.value } : {}),
  }
}
