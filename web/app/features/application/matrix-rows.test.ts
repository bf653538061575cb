import { expect, test } from 'vitest'
import type { ComparedCell, ComparedRow } from '../../lib/calls/answers.ts'
import { marksOf } from './cells/cell-marks.ts'
import { copiesTo, countOf, matrixRows, otherValues, sameAs, shownRows } from './matrix-rows.ts'

const NOW = Date.parse('2026-06-30T12:00:00.000Z')
const DAY = 86_400_000
const before = (days: number) => new Date(NOW - days * DAY).toISOString()

const FACTS: NonNullable<ComparedCell['facts']> = {
  value: '*****',
  is_secret: true,
  description: '',
  version: 1,
  set_at: before(90),
  set_by: { kind: 'user', id: 'sam', name: 'sam' },
  expires_at: null,
  due: null,
  used_in_bundles: 1,
  required: false,
  order: 0,
  older_holders: 0,
  missing_parts: [],
  may_change: true,
  may_show: true,
  may_detach: true,
}

function full(bundle_id: string, key_id: string, facts: Partial<typeof FACTS> = {}): ComparedCell {
  return { bundle_id, state: 'own', key_id, key_name: key_id, facts: { ...FACTS, ...facts } }
}
const missing = (bundle_id: string): ComparedCell => ({
  bundle_id,
  state: 'missing',
  key_id: null,
  key_name: null,
})
const row = (name: string, ...cells: ComparedCell[]): ComparedRow => ({ name, cells })

const ROWS = [
  row('A_USUAL', full('dev', 'a'), full('prod', 'b')),
  row('B_MISSING', full('dev', 'c'), missing('prod')),
  row('C_EXPIRED', full('dev', 'd'), full('prod', 'e', { due: 'expired', expires_at: before(2) })),
  row('D_OLDER', full('dev', 'f', { older_holders: 2 }), full('prod', 'g')),
  row('E_LACKS_PARTS', full('dev', 'h', { missing_parts: ['HOST'] }), full('prod', 'i')),
]

test('what needs a look comes first, then by name', () => {
  expect(matrixRows(ROWS).map(({ name }) => name)).toEqual([
    'B_MISSING',
    'C_EXPIRED',
    'D_OLDER',
    'E_LACKS_PARTS',
    'A_USUAL',
  ])
})

test('a row whose mark goes stays where it is while the page is open, and its filter shows it', () => {
  const first = matrixRows(ROWS)
  const renewed = ROWS.map((each) =>
    each.name === 'C_EXPIRED' ? row('C_EXPIRED', full('dev', 'd'), full('prod', 'e')) : each,
  )
  const next = matrixRows(renewed, first)
  expect(next.map(({ name }) => name)).toEqual(first.map(({ name }) => name))
  expect(countOf(next, 'due')).toBe(0)
  expect(shownRows(next, 'due', '').map(({ name }) => name)).toEqual(['C_EXPIRED'])
})

test('each filter counts its rows and shows them', () => {
  const rows = matrixRows(ROWS)
  const counts = (['all', 'missing', 'due', 'older'] as const).map((filter) => countOf(rows, filter))
  expect(counts).toEqual([5, 1, 1, 1])
  expect(shownRows(rows, 'due', '').map(({ name }) => name)).toEqual(['C_EXPIRED'])
  expect(shownRows(rows, 'all', 'older').map(({ name }) => name)).toEqual(['D_OLDER'])
})

test('a cell is the same as the first one with its key, and a legacy item as none', () => {
  const cells = [full('dev', 'a'), full('staging', 'a'), full('prod', 'b'), missing('qa'), missing('ci')]
  expect(cells.map((_, column) => sameAs(cells, column))).toEqual([null, 0, null, null, null])
})

test('a copy comes from the first environment whose key the person may show', () => {
  const rows = [
    row(
      'MINE',
      full('dev', 'a', { may_show: false }),
      full('staging', 'b', { is_secret: false }),
      missing('prod'),
    ),
    row('THEIRS', full('dev', 'c', { may_show: false }), missing('staging'), missing('prod')),
  ]
  const copies = copiesTo('prod', rows).map(({ name, source }) => [name, source.bundle_id, source.key_id])
  expect(copies).toEqual([['MINE', 'staging', 'b']])
})

test.each([
  ['an old value', {}, []],
  ['a value of 2 days', { set_at: before(2) }, ['2 d']],
  ['a value of 5 hours', { set_at: before(5 / 24) }, ['5 h']],
  ['a value of 31 days', { set_at: before(31) }, []],
  ['an older holder instead of the age', { set_at: before(2), older_holders: 1 }, ['1 older']],
  ['expired', { due: 'expired', expires_at: before(2) }, ['expired']],
  ['expiring', { due: 'expiring', expires_at: before(-9.5), older_holders: 2 }, ['2 older', '10 d']],
  ['to be rotated', { due: 'rotate' }, ['rotate']],
] as const)('%s is marked', (_what, facts, texts) => {
  expect(marksOf({ ...FACTS, ...facts }, NOW).map(({ text }) => text)).toEqual(texts)
})

test('a cell can take the values of other keys, where neither is composed', () => {
  const composed = { ...full('qa', 'c'), template_parts: ['HOST'] }
  const some = row('A', full('dev', 'a'), full('prod', 'b'), full('staging', 'a'), missing('ci'), composed)
  const from = (bundle: string) => otherValues(bundle, some).map(({ bundle_id }) => bundle_id)
  expect([from('prod'), from('dev'), from('ci'), from('qa')]).toEqual([['dev', 'staging'], ['prod'], [], []])
})
