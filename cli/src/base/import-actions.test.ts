import { expect, test } from 'vitest'
import { changesText, isImportAction, shortList } from './import-actions.ts'

test('a list shows at most three names', () => {
  expect(shortList(['A', 'B', 'C'])).toBe('A, B, C')
  expect(shortList(['A', 'B', 'C', 'D'])).toBe('A, B, C, …')
})

test('a summary counts the variables of each action, in a fixed order', () => {
  const actions = ['detach', 'kept', 'same', 'replace', 'update', 'share', 'own', 'create', 'create']
  const steps = actions.map((action, at) => ({ name: `N${at}`, action }))
  expect(changesText(steps)).toBe(
    '2 new (N7, N8), 1 own (N6), 1 shared (N5), 1 updated (N4), 1 replaced (N3), 1 same (N2), 1 kept (N1), 1 removed (N0)',
  )
  expect(changesText([])).toBe('nothing to write')
})

test('only the actions of the server are accepted', () => {
  expect(['detach', 'toString', 'delete', 1].map(isImportAction)).toEqual([true, false, false, false])
})
