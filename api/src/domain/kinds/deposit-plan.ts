import type { DepositPlan, PlanDeposit } from '@keyferry/contract'
import type { z } from 'zod'
import type { Asking, Judged, RuleParts } from '../approvals/approval-grounds.ts'
import { type Grounds, shownRules } from '../approvals/approval-rules.ts'
import { DomainError } from '../base/errors.ts'
import type { BundleStore } from '../library/bundle.ts'
import type { ApprovedDeposit } from '../requests/approved.ts'
import { openDeposit } from '../requests/opened-deposit.ts'
import type { RequestParts } from '../requests/request.ts'
import type { ApprovalRequest } from '../requests/stored-request.ts'
import type { DepositKeyStore } from '../transfer/deposit-key.ts'
import {
  type ImportPlan,
  type LibraryImport,
  type LibraryImportStore,
  planOf,
} from '../transfer/library-import.ts'
import { type FoundKey, type ImportStep, makesKey, markAfter } from '../transfer/library-import-step.ts'
import { DEPOSIT_REFUSALS, type DepositPlaces, placesOf } from './deposit-rules.ts'

/*
 * What an approval of a deposit would do in the library of the approver's workspace. The plan is that of an import.
 * Values that are not secret are shown before and after; a secret value never leaves this process.
 */

export type PlanParts = RequestParts &
  RuleParts & { stores: { bundles: BundleStore; depositKeys: DepositKeyStore; imports: LibraryImportStore } }

/** How the approver wants entries treated; what is absent is as the client asked. */
export type Treatment = z.output<typeof PlanDeposit>

export type PlannedDeposit = Judged &
  DepositPlaces & {
    asked: LibraryImport
    choices: ApprovedDeposit['choices']
    plan: ImportPlan
  }

/** What an approval of a deposit would do. One is enough, because an owner can store values without a second person.
 * @throws DomainError not_found · deposit_damaged · conflict (no deposit) · forbidden (the plan does what only an owner
 *   may) · what `planOf` throws */
export async function plannedDeposit(
  parts: PlanParts,
  { caller, stored }: Asking,
  treatment: Treatment,
): Promise<PlannedDeposit> {
  const { asked, choices } = await importOf(parts, stored.request, treatment)
  const plan = await planOf({ imports: parts.stores.imports, clock: parts.clock }, caller, asked)
  const written = { tenantId: caller.tenantId, bundleName: asked.bundleName, steps: plan.steps }
  return { asked, choices, plan, people: 1, ...(await placesOf(parts.stores.bundles, written)) }
}

/** The import that a deposit asks for.
 * @throws DomainError not_found (the box is gone) · deposit_damaged · conflict (no deposit) */
export async function importOf(
  parts: PlanParts,
  request: ApprovalRequest,
  treatment: Treatment,
): Promise<{ asked: LibraryImport; choices: ApprovedDeposit['choices']; boxDigest: string }> {
  const { deposit, suggestedBundle } = request
  if (!deposit || suggestedBundle === null)
    throw new DomainError('conflict', 'This request asks for values: it is no deposit')
  const opened = await openDeposit(parts, request)
  const { own, share, replace } = { ...opened, ...given(treatment) }
  const keyNames = treatment.key_names ?? {}
  const choices = {
    own: new Set(own),
    share: new Set(share),
    replace: replace === 'all' ? replace : new Set(replace),
    keyNames: new Map(Object.entries(keyNames)),
  }
  const { entries, detach, boxDigest } = opened
  const asked = { bundleName: suggestedBundle, entries, detach, choices, planId: undefined }
  return { asked, choices: { own, share, replace, keyNames }, boxDigest }
}

function given({ own, share, replace }: Treatment) {
  return {
    ...(own === undefined ? {} : { own }),
    ...(share === undefined ? {} : { share }),
    ...(replace === undefined ? {} : { replace }),
  }
}

/** What the approver sees of a plan. */
export function shownPlan(
  { plan, asked, changes, production }: PlannedDeposit,
  grounds: Grounds,
): Omit<z.input<typeof DepositPlan>, 'plan' | 'stricter'> {
  return {
    bundle_id: plan.bundleId,
    bundle: asked.bundleName,
    plan_id: plan.planId,
    ...shownRules(DEPOSIT_REFUSALS, grounds),
    changes,
    production,
  }
}

/** The values of a step that may be shown: those that are not secret. */
export function shownValues(step: ImportStep): { old_value?: string; new_value?: string } {
  const { action, key, entry, isAttached } = step
  const isReplaced = action === 'update' || action === 'replace' || (action === 'own' && isAttached)
  const old = isReplaced && key ? readableValue(key) : null
  const isWritten = isReplaced || makesKey(step)
  return {
    ...(old === null ? {} : { old_value: old }),
    ...(isWritten && !markAfter(step) ? { new_value: entry.value } : {}),
  }
}

/** The value of a name that is removed, where it may be shown. */
export function removedValue(key: FoundKey): { old_value?: string } {
  const old = readableValue(key)
  return old === null ? {} : { old_value: old }
}

function readableValue({ is_secret, templateParts, value }: FoundKey): string | null {
  return is_secret || templateParts !== null || value === null ? null : value.reveal()
}
