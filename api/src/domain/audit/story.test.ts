import { expect, test } from 'vitest'
import type { AuditEntry } from './audit.ts'
import { storyOf } from './story.ts'

const entry = (change: object) =>
  ({
    id: 'own',
    at: '2026-06-01T12:34:56.000Z',
    action: 'bundle.changed',
    actor: { kind: 'user', id: 'u' },
    target: { kind: 'bundle', id: 'b' },
    data: {},
    ...change,
  }) as unknown as AuditEntry

test.each([
  ['a delivery', { delivery: 'd' }, 'd'],
  ['a deposit', { deposit: 'e' }, 'e'],
  ['a change request', { proposal: 'p' }, 'p'],
  ['a deposit that is a change request too', { proposal: 'p', deposit: 'e' }, 'e'],
  ['nothing', {}, 'own'],
  ['what is no id', { delivery: 7 }, 'own'],
])('the story of an entry that names %s', (_, data, story) => {
  expect(storyOf(entry({ data }))).toBe(story)
})

const fetched = (change: object) => storyOf(entry({ action: 'delivery.machine', ...change }))

test('the calls of a program for one bundle within an hour are one story', () => {
  const first = fetched({})
  expect(fetched({ id: 'other', at: '2026-06-01T12:00:00.000Z' })).toBe(first)
  expect(fetched({ at: '2026-06-01T13:00:00.000Z' })).not.toBe(first)
  expect(fetched({ actor: { kind: 'user', id: 'v' } })).not.toBe(first)
  expect(fetched({ target: { kind: 'bundle', id: 'c' } })).not.toBe(first)
})
