import { expect, test } from 'vitest'
import type { ComparedCell } from '../../lib/calls/answers.ts'
import { copiesTo, stateOf } from './compared-row.ts'

const cell = (bundle_id: string, key: string | null, state: ComparedCell['state']): ComparedCell => ({
  bundle_id,
  state,
  key_id: key,
  key_name: key === null ? null : `${key}_NAME`,
})
const row = (...cells: ComparedCell[]) => ({ name: 'URL', cells })

test('a row is missing, shared by all, or own', () => {
  expect(stateOf(row(cell('dev', 'K', 'shared'), cell('prod', 'K', 'shared')))).toBe('shared')
  expect(stateOf(row(cell('dev', 'K', 'own'), cell('prod', 'L', 'own')))).toBe('own')
  expect(stateOf(row(cell('dev', 'K', 'own'), cell('prod', null, 'missing')))).toBe('missing')
  const pairs = row(
    cell('dev', 'K', 'shared'),
    cell('ci', 'K', 'shared'),
    cell('prod', 'L', 'shared'),
    cell('qa', 'L', 'shared'),
  )
  expect(stateOf(pairs)).toBe('own')
})

test('a name is copied from the first bundle that has a key for it, and only where it is missing', () => {
  const legacy = cell('old', null, 'own')
  const rows = [
    { name: 'A', cells: [legacy, cell('dev', 'K', 'own'), cell('prod', null, 'missing')] },
    { name: 'B', cells: [legacy, cell('dev', null, 'missing'), cell('prod', null, 'missing')] },
    { name: 'C', cells: [legacy, cell('dev', 'K', 'own'), cell('prod', 'L', 'own')] },
  ]
  const keys = [{ id: 'K', may_show: true }]
  expect(copiesTo('prod', rows, keys)).toEqual([{ name: 'A', from: 'dev', keyId: 'K' }])
  expect(copiesTo('prod', rows, [{ id: 'K', may_show: false }])).toEqual([])
})
