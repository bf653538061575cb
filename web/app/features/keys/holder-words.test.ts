import { expect, test } from 'vitest'
import type { Holder } from '../../lib/calls/answers.ts'
import { oldHoldersText } from './holder-words.ts'

function holders(...names: (readonly [name: string, version: number])[]): Holder[] {
  return names.map(
    ([name, version]): Holder => ({
      kind: 'user',
      id: name,
      name,
      label: null,
      version,
      perhaps_version: null,
      is_current: false,
      last_at: '2026-06-01T12:00:00.000Z',
      times: 1,
      delivery_id: 'delivery',
      state: 'given',
      holder: name,
      via: 'run',
      first_at: '2026-06-01T12:00:00.000Z',
    }),
  )
}

test.each([
  [[['kim', 4]], 'kim holds v4'],
  [
    [
      ['kim', 4],
      ['kim', 4],
    ],
    'kim holds v4 in 2 places',
  ],
  [
    [
      ['kim', 4],
      ['lee', 3],
    ],
    'kim and lee hold 2 older versions',
  ],
  [
    [
      ['a', 1],
      ['b', 1],
      ['c', 1],
      ['d', 1],
    ],
    'a, b, c, and d hold v1',
  ],
  [
    [
      ['a', 1],
      ['b', 1],
      ['c', 1],
      ['d', 1],
      ['e', 1],
    ],
    'a, b, c, d, and 1 more hold v1',
  ],
] as const)('%j: %s', (given, text) => {
  expect(oldHoldersText(holders(...given))).toBe(text)
})
