import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { isRowMac, type MacRow, rowMac } from './row-mac.ts'

const key = createSecretKey(Buffer.alloc(32, 7))
const row: MacRow = {
  table: 'memberships',
  version: 3,
  values: [
    ['a', 'x'],
    ['b', 'y'],
    ['c', null],
    ['d', 0],
  ],
}

test.each<[string, Partial<MacRow>]>([
  ['another table', { table: 'machines' }],
  ['another version', { version: 4 }],
  [
    'values with another border',
    {
      values: [
        ['a', 'xb'],
        ['', 'y'],
        ['d', 0],
      ],
    },
  ],
  [
    'another column',
    {
      values: [
        ['a', 'x'],
        ['c', 'y'],
        ['d', 0],
      ],
    },
  ],
  [
    'an empty text for null',
    {
      values: [
        ['a', 'x'],
        ['b', 'y'],
        ['c', ''],
        ['d', 0],
      ],
    },
  ],
  [
    'a text for a number',
    {
      values: [
        ['a', 'x'],
        ['b', 'y'],
        ['d', '0'],
      ],
    },
  ],
])('a MAC is not of %s', (_, change) => {
  expect(isRowMac(rowMac(row, key), row, key)).toBe(true)
  expect(isRowMac(rowMac(row, key), { ...row, ...change }, key)).toBe(false)
})

test('a MAC is of one key, and whole', () => {
  expect(isRowMac(rowMac(row, key), row, createSecretKey(Buffer.alloc(32, 8)))).toBe(false)
  expect(isRowMac(rowMac(row, key).subarray(1), row, key)).toBe(false)
})

test('a column that is null changes no MAC', () => {
  const more: MacRow = { ...row, values: [...row.values, ['later', null]] }
  expect(isRowMac(rowMac(row, key), more, key)).toBe(true)
})
