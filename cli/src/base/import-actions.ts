import type { ImportAction } from '@keyferry/contract'

/** What the server does with a variable of an import or a deposit, in the order of a summary. */
export const IMPORT_ACTIONS = {
  create: { sign: '+', word: 'new' },
  own: { sign: '+', word: 'own' },
  share: { sign: '&', word: 'shared' },
  update: { sign: '~', word: 'updated' },
  replace: { sign: '!', word: 'replaced' },
  same: { sign: '=', word: 'same' },
  kept: { sign: '=', word: 'kept' },
  detach: { sign: '-', word: 'removed' },
} as const satisfies Record<ImportAction, { sign: string; word: string }>

// Names that still read as one sentence.
const MOST_NAMED = 3

/** For example `A, B, C, …`. */
export function shortList(names: readonly string[]): string {
  return `${names.slice(0, MOST_NAMED).join(', ')}${names.length > MOST_NAMED ? ', …' : ''}`
}

type NamedAction = { readonly name: string; readonly action: string }

/** The names of the steps with an action. */
export function namesOf(steps: readonly NamedAction[], action: string): readonly string[] {
  return steps.flatMap((step) => (step.action === action ? [step.name] : []))
}

/** For example `2 new (A, B), 1 updated (C)`. */
export function changesText(steps: readonly NamedAction[]): string {
  const done = Object.entries(IMPORT_ACTIONS).flatMap(([action, { word }]) => {
    const names = namesOf(steps, action)
    return names.length === 0 ? [] : [`${names.length} ${word} (${shortList(names)})`]
  })
  return done.length === 0 ? 'nothing to write' : done.join(', ')
}

export function isImportAction(name: unknown): name is ImportAction {
  return typeof name === 'string' && Object.hasOwn(IMPORT_ACTIONS, name)
}
