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

export function isImportAction(name: unknown): name is ImportAction {
  return typeof name === 'string' && Object.hasOwn(IMPORT_ACTIONS, name)
}
