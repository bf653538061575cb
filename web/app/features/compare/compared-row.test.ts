import { expect, test } from 'vitest'
import type { ComparedCell } from '../../lib/calls/answers.ts'
import { differs, keysOf } from './compared-row.ts'

const cell = (bundle_id: string, key: string | null, state: ComparedCell['state']): ComparedCell => ({
  bundle_id,
  state,
  key_id: key,
  key_name: key === null ? null : `${key}_NAME`,
})
const row = (...cells: ComparedCell[]) => ({ name: 'URL', cells })

test('a row differs unless every bundle uses the same key', () => {
  expect(differs(row(cell('dev', 'K', 'shared'), cell('prod', 'K', 'shared')))).toBe(false)
  expect(differs(row(cell('dev', 'K', 'own'), cell('prod', 'L', 'own')))).toBe(true)
  expect(differs(row(cell('dev', 'K', 'own'), cell('prod', null, 'missing')))).toBe(true)
  const pairs = row(
    cell('dev', 'K', 'shared'),
    cell('ci', 'K', 'shared'),
    cell('prod', 'L', 'shared'),
    cell('qa', 'L', 'shared'),
  )
  expect(differs(pairs)).toBe(true)
})

test('the keys of a row are each named once, with their bundles; a missing cell and a legacy item have none', () => {
  const cells = [cell('dev', 'K', 'shared'), cell('qa', null, 'missing'), cell('ci', 'K', 'shared')]
  expect(keysOf(row(...cells, cell('old', null, 'own')))).toEqual([
    { id: 'K', name: 'K_NAME', bundleIds: ['dev', 'ci'] },
  ])
})
