import type { DepositPlan, PlanDeposit } from '@keyferry/contract'
import type { z } from 'zod'
import { mustReturn, mustTypeCode, refusalIn, waysOf } from './approval-rules.ts'
import { findPending } from './approval-step.ts'
import type { ApprovedDeposit } from './approved.ts'
import type { DepositKeyStore } from './deposit-key.ts'
import { DEPOSIT_REFUSALS, type DepositGrounds, depositGrounds, type RuleParts } from './deposit-rules.ts'
import { DomainError } from './errors.ts'
import { type ImportPlan, type LibraryImport, type LibraryImportStore, planOf } from './library-import.ts'
import { type FoundKey, type ImportStep, makesKey, markAfter } from './library-import-step.ts'
import type { Caller } from './membership.ts'
import { openDeposit } from './opened-deposit.ts'
import type { RequestParts } from './request.ts'
import type { ApprovalRequest } from './stored-request.ts'

/*
 * What an approval of a deposit would do in the library of the approver's workspace. The plan is that of an import. Values
 * that are not secret are shown before and after; a secret value never leaves this process.
 */

export type PlanParts = RequestParts &
  RuleParts & { stores: { depositKeys: DepositKeyStore; imports: LibraryImportStore } }

/** How the approver wants entries treated; what is absent is as the client asked. */
export type Treatment = z.output<typeof PlanDeposit>

export type PlannedDeposit = {
  request: ApprovalRequest
  asked: LibraryImport
  choices: ApprovedDeposit['choices']
  plan: ImportPlan
  grounds: DepositGrounds
}

/** @throws DomainError not_found · request_denied · request_withdrawn · request_expired · conflict (approved already, or no
 *   deposit) · deposit_damaged · forbidden (the plan does more than create) · what `planOf` throws */
export async function planDeposit(
  parts: PlanParts,
  caller: Caller,
  { requestId, treatment }: { requestId: string; treatment: Treatment },
): Promise<PlannedDeposit> {
  const { request } = await findPending(parts, requestId)
  const { asked, choices } = await importOf(parts, request, treatment)
  const imports = { imports: parts.stores.imports, clock: parts.clock }
  const plan = await planOf(imports, caller, asked)
  const judged = { caller, request, bundleName: asked.bundleName, steps: plan.steps }
  return { request, asked, choices, plan, grounds: await depositGrounds(parts, judged) }
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
export function shownPlan({
  plan,
  asked,
  grounds,
}: PlannedDeposit): Omit<z.input<typeof DepositPlan>, 'plan'> {
  const whyNot = refusalIn(DEPOSIT_REFUSALS, grounds)
  return {
    bundle_id: plan.bundleId,
    bundle: asked.bundleName,
    plan_id: plan.planId,
    assurance: grounds.policy.assurance,
    may_approve: whyNot === null,
    why_not: whyNot,
    release: waysOf(grounds),
    release_required: mustReturn(grounds),
    user_code_required: mustTypeCode(grounds.policy, {}),
    changes: grounds.changes,
    production: grounds.production,
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
  return is_secret || templateParts !== null ? null : value.reveal()
}
