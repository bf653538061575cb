import { type ImportPlan, importVariables, planOf } from '../domain/library-import.ts'
import { makesKey, markAfter } from '../domain/library-import-plan.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

const MOST_NAMED = 5

export function importHandlers({
  stores: { imports },
  clock,
}: HandlerParts): Pick<Handlers, 'importVariables'> {
  return {
    async importVariables({ caller, body }) {
      const { bundle, entries, dry_run, plan_id } = body
      const choices = {
        own: new Set(body.own),
        share: new Set(body.share),
        replace: body.replace === 'all' ? body.replace : new Set(body.replace),
        keyNames: new Map(Object.entries(body.key_names)),
      }
      const asked = { bundleName: bundle, entries, choices, planId: plan_id }
      const plan = await (dry_run ? planOf : importVariables)({ imports, clock }, caller, asked)
      return { status: 200, body: presentPlan(plan) }
    },
  }
}

function presentPlan({ bundleId, steps, planId }: ImportPlan) {
  return { bundle_id: bundleId, plan: steps.map(presentStep), plan_id: planId }
}

/** A step of a plan as callers see it. */
export function presentStep(step: ImportPlan['steps'][number]) {
  const { entry, action, key, keyName, choices, newKeyId } = step
  const elsewhere = key?.elsewhere ?? []
  return {
    name: entry.name,
    action,
    key_id: (makesKey(step) ? newKeyId : key?.id) ?? null,
    key_name: keyName,
    is_secret: markAfter(step),
    shared_with: elsewhere.slice(0, MOST_NAMED),
    shared_total: elsewhere.length,
    choices: [...choices],
    ...(key?.templateParts && !makesKey(step) ? { template_parts: [...key.templateParts] } : {}),
  }
}
