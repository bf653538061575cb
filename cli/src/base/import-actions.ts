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

export function isImportAction(name: unknown): name is ImportAction {
  return typeof name === 'string' && Object.hasOwn(IMPORT_ACTIONS, name)
}
