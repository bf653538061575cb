import type { ImportAction, ImportStep } from '../calls/answers.ts'
import { builtFrom } from '../rules/templates.ts'
import { counted, listed } from './counted.ts'

const COUNTED = [
  ['create', 'new'],
  ['own', 'own'],
  ['share', 'shared'],
  ['update', 'updated'],
  ['replace', 'replaced everywhere'],
  ['same', 'same'],
  ['kept', 'kept'],
  ['detach', 'removed'],
] as const

/** What a plan does, counted: `12 new, 3 own, 2 shared`. */
export function planText(plan: readonly Pick<ImportStep, 'action'>[]): string {
  return COUNTED.map(([action, text]) => ({
    text,
    count: plan.filter((step) => step.action === action).length,
  }))
    .filter(({ count }) => count > 0)
    .map(({ count, text }) => `${count} ${text}`)
    .join(', ')
}

/** The steps of a plan that change something. */
export function changedOf<Step extends Pick<ImportStep, 'action'>>(plan: readonly Step[]): Step[] {
  return plan.filter(({ action }) => action !== 'same' && action !== 'kept')
}

/** What carrying out a plan does: it stores variables, removes them, or both. */
export function storing(plan: readonly Pick<ImportStep, 'action'>[]): string {
  const count = changedOf(plan).length
  if (count === 0) return 'Store nothing'
  const removed = plan.filter(({ action }) => action === 'detach').length
  if (removed > 0 && removed === count) return `Remove ${counted(count, 'variable')}`
  const stored = `Store ${counted(count - removed, 'variable')}`
  return removed === 0 ? stored : `${stored}, remove ${removed}`
}

const CHANGES: ReadonlySet<ImportAction> = new Set(['own', 'update', 'replace', 'detach'])

/** Whether a step gives a name of the bundle another value, or none. */
export function changes({ action }: Pick<ImportStep, 'action'>): boolean {
  return CHANGES.has(action)
}

/** Whether a step adds a key to the library. */
export function makesKey({ action }: Pick<ImportStep, 'action'>): boolean {
  return action === 'create' || action === 'own'
}

/** The choice that a step is; empty if it is none. */
export function choiceOf({
  action,
  template_parts,
  changed,
}: ImportStep): ImportStep['choices'][number] | '' {
  if (action === 'update' && changed) return 'own'
  if (action === 'kept') return template_parts === undefined ? 'share' : ''
  return action === 'own' || action === 'share' || action === 'replace' ? action : ''
}

/** What a step means for other bundles. */
export function noteOf({
  action,
  key_name,
  shared_with,
  shared_total,
  template_parts,
  breaks = [],
}: ImportStep): string {
  if (template_parts !== undefined && (action === 'same' || action === 'kept')) {
    const rest = action === 'same' ? '; stays as it is' : '; the value in the file is not used'
    return ` · ${builtFrom(template_parts)}${rest}`
  }
  const others = shared_with.length === 0 ? 'no bundle' : listed(shared_with, 1, shared_total)
  const notes: Readonly<Record<ImportAction, string>> = {
    create: '',
    own:
      shared_total === 0
        ? ''
        : ` · ${others} ${shared_total === 1 ? 'keeps its value' : 'keep their values'}`,
    share:
      shared_total === 0 ? ` · the same as ${key_name}, which is in no bundle` : ` · shared with ${others}`,
    update: '',
    replace: ` · also changes ${others}`,
    same: ' · stays as it is',
    kept: shared_total === 0 ? ' · keeps the stored value' : ` · keeps the value shared with ${others}`,
    detach: ` · no longer delivered, and not deleted${breaks.length === 0 ? '' : `; ${breaks.join(', ')} cannot be composed without it`}`,
  }
  return notes[action]
}
