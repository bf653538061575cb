import type { ImportVariables } from '@keyferry/contract'
import type { z } from 'zod'
import { stricterForPrograms } from '../domain/approvals/value-rules.ts'
import { formerElsewhere } from '../domain/library/key-version.ts'
import type { Caller } from '../domain/people/membership.ts'
import { type ImportPlan, importVariables, planOf } from '../domain/transfer/library-import.ts'
import type { ImportRemoval } from '../domain/transfer/library-import-plan.ts'
import {
  baseOf,
  choicesOf,
  type FoundKey,
  makesKey,
  markAfter,
} from '../domain/transfer/library-import-step.ts'
import { moveLibrary } from '../domain/transfer/library-move.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

const MOST_NAMED = 5
/** Each reads all values of its length. */
const MOST_COMPARED = 10
const CHANGES: ReadonlySet<string> = new Set(['update', 'replace'])

type StricterParts = Parameters<typeof stricterForPrograms>[0]

/** What a plan gives to programs that get the bundle under weaker rules than elsewhere. */
export async function stricterIn(
  parts: StricterParts,
  { tenantId }: Caller,
  { bundleId, steps }: Pick<ImportPlan, 'bundleId' | 'steps'>,
): Promise<string[]> {
  const shared = steps.flatMap(({ action, key }) => (action === 'share' && key ? [key.id] : []))
  if (bundleId === null || shared.length === 0) return []
  return stricterForPrograms(parts, { tenantId, bundleId }, shared)
}

export function importHandlers({ stores, clock, requestParts }: HandlerParts) {
  const parts = { imports: stores.imports, clock }
  const present = async (caller: Caller, plan: ImportPlan) => ({
    ...presentPlan(plan),
    stricter: await stricterIn(requestParts, caller, plan),
  })
  return {
    async importVariables({ caller, body }) {
      const { also, dry_run, plan_id: planId } = body
      const asked = { ...askedOf(body), planId, also: also.map(askedOf) }
      const done = await (dry_run ? planOf : importVariables)(parts, caller, asked)
      const others = await Promise.all(done.also.map((plan) => present(caller, plan)))
      const changed = dry_run
        ? []
        : [done, ...done.also].flatMap(({ steps }) =>
            steps.flatMap(({ action, key }) => (CHANGES.has(action) && key ? [key.id] : [])),
          )
      const former = await formerElsewhere(stores, caller, changed.slice(0, MOST_COMPARED))
      return { ...(await present(caller, done)), ...former, ...(also.length === 0 ? {} : { also: others }) }
    },
    async moveLibrary({ caller, body }) {
      const move = { sealed: body.library, isDryRun: body.dry_run, planId: body.plan_id }
      const { planId, bundles, keys, bundleIds } = await moveLibrary({ stores, clock }, caller, move)
      return {
        plan_id: planId,
        bundles: bundles.map(({ bundle: { name, entries }, action }, index) => {
          return { name, action, key_count: entries.length, bundle_id: bundleIds[index] ?? null }
        }),
        keys: keys.map(({ key: { name, is_secret }, action, keyName }) => {
          return { name, action, key_name: keyName, is_secret }
        }),
      }
    },
  } satisfies Partial<Handlers>
}

type ImportOfBundle = z.output<typeof ImportVariables>['also'][number]

function askedOf({ bundle, entries, detach, seen, ...choices }: ImportOfBundle) {
  const given = entries.map(({ value = '', ...entry }) => ({ ...entry, value }))
  const base = seen && baseOf(seen, null)
  return { bundleName: bundle, entries: given, detach, choices: choicesOf(choices), base, planId: undefined }
}

function presentPlan({ bundleId, steps, removals, planId }: ImportPlan) {
  const plan = [...steps.map(presentStep), ...removals.map(presentRemoval)]
  return { bundle_id: bundleId, plan, plan_id: planId }
}

/** A step of a plan as callers see it. */
export function presentStep(step: ImportPlan['steps'][number]) {
  const { entry, action, key, keyName, choices, newKeyId, crosses, changed } = step
  return {
    name: entry.name,
    action,
    key_id: (makesKey(step) ? newKeyId : key?.id) ?? null,
    key_name: keyName,
    is_secret: markAfter(step),
    ...sharing(key),
    choices: [...choices],
    ...(crosses ? { crosses } : {}),
    ...(changed ? { changed } : {}),
    ...(key?.templateParts && !makesKey(step) ? { template_parts: [...key.templateParts] } : {}),
  }
}

/** A name that a plan removes, as callers see it. */
export function presentRemoval({ name, key, breaks, changed }: ImportRemoval) {
  return {
    name,
    action: 'detach' as const,
    key_id: key.id,
    key_name: key.name,
    is_secret: key.is_secret,
    ...sharing(key),
    choices: [],
    ...(changed ? { changed } : {}),
    ...(breaks.length === 0 ? {} : { breaks: [...breaks] }),
  }
}

function sharing(key: FoundKey | null) {
  const elsewhere = key?.elsewhere ?? []
  return { shared_with: elsewhere.slice(0, MOST_NAMED), shared_total: elsewhere.length }
}
