import { type ImportPlan, importVariables, planOf } from '../domain/transfer/library-import.ts'
import type { ImportRemoval } from '../domain/transfer/library-import-removals.ts'
import { type FoundKey, makesKey, markAfter } from '../domain/transfer/library-import-step.ts'
import { moveLibrary } from '../domain/transfer/library-move.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

const MOST_NAMED = 5

export function importHandlers({ stores: { imports }, clock }: HandlerParts) {
  return {
    async importVariables({ caller, body }) {
      const { bundle, entries, detach, dry_run, plan_id } = body
      const choices = {
        own: new Set(body.own),
        share: new Set(body.share),
        replace: body.replace === 'all' ? body.replace : new Set(body.replace),
        keyNames: new Map(Object.entries(body.key_names)),
      }
      const asked = { bundleName: bundle, entries, detach, choices, planId: plan_id }
      return presentPlan(await (dry_run ? planOf : importVariables)({ imports, clock }, caller, asked))
    },
  } satisfies Partial<Handlers>
}

function presentPlan({ bundleId, steps, removals, planId }: ImportPlan) {
  const plan = [...steps.map(presentStep), ...removals.map(presentRemoval)]
  return { bundle_id: bundleId, plan, plan_id: planId }
}

/** A step of a plan as callers see it. */
export function presentStep(step: ImportPlan['steps'][number]) {
  const { entry, action, key, keyName, choices, newKeyId } = step
  return {
    name: entry.name,
    action,
    key_id: (makesKey(step) ? newKeyId : key?.id) ?? null,
    key_name: keyName,
    is_secret: markAfter(step),
    ...sharing(key),
    choices: [...choices],
    ...(key?.templateParts && !makesKey(step) ? { template_parts: [...key.templateParts] } : {}),
  }
}

/** A name that a plan removes, as callers see it. */
export function presentRemoval({ name, key, breaks }: ImportRemoval) {
  return {
    name,
    action: 'detach' as const,
    key_id: key.id,
    key_name: key.name,
    is_secret: key.is_secret,
    ...sharing(key),
    choices: [],
    ...(breaks.length === 0 ? {} : { breaks: [...breaks] }),
  }
}

function sharing(key: FoundKey | null) {
  const elsewhere = key?.elsewhere ?? []
  return { shared_with: elsewhere.slice(0, MOST_NAMED), shared_total: elsewhere.length }
}

export function libraryMoveHandlers(parts: HandlerParts) {
  return {
    async moveLibrary({ caller, body }) {
      const move = { sealed: body.library, isDryRun: body.dry_run, planId: body.plan_id }
      const { planId, bundles, keys, bundleIds } = await moveLibrary(parts, caller, move)
      return {
        plan_id: planId,
        bundles: bundles.map(({ bundle: { name, entries }, action }, index) => {
          return { name, action, key_count: entries.length, bundle_id: bundleIds[index] ?? null }
        }),
        keys: keys.map(({ key: { name }, action, keyName }) => ({ name, action, key_name: keyName })),
      }
    },
  } satisfies Partial<Handlers>
}
