import type { AuditAction } from '@keyferry/contract'
import { expect, test } from 'vitest'
import type { AuditEntry } from '../calls/answers.ts'
import { markOf, storiesIn, timesText } from './stories.ts'

let made = 0
function entry(action: AuditAction, story: string, minute: number): AuditEntry {
  made += 1
  const at = new Date(Date.UTC(2026, 10, 26, 12, minute)).toISOString()
  const actor = { kind: 'user', id: 'u', name: 'sam' }
  const target = { kind: 'bundle', id: 'b', name: 'dev/web' }
  return { seq: made, id: `e${made}`, at, sealed: true, action, actor, target, data: {}, origin: null, story }
}

test('the entries of a delivery are one story, told by its approval', () => {
  const [story, ...others] = storiesIn([
    entry('delivery.collected', 's', 3),
    entry('delivery.released', 's', 2),
    entry('delivery.approved', 's', 1),
  ])
  expect(others).toEqual([])
  expect(story).toMatchObject({ id: 's', head: { action: 'delivery.approved' } })
  expect(story && markOf(story)).toBe('approved')
})

test('an approval that never returned says so', () => {
  const [story] = storiesIn([entry('delivery.not_released', 's', 2), entry('delivery.approved', 's', 1)])
  expect(story && [story.head.action, markOf(story)]).toEqual(['delivery.not_released', 'alarm'])
})

test('a story stays whole across pages, and an entry of both pages counts once', () => {
  const collected = entry('delivery.collected', 's', 3)
  const other = entry('key.changed', 'k', 2)
  const stories = storiesIn([collected, other, collected, entry('delivery.approved', 's', 1)])
  expect(stories.map(({ id, entries }) => [id, entries.length])).toEqual([
    ['s', 2],
    ['k', 1],
  ])
})

test('calls of a machine say how many there were', () => {
  const calls = [50, 20, 0].map((minute) => entry('delivery.machine', 'm', minute))
  const [story] = storiesIn(calls)
  expect(story && timesText(story)).toMatch(/^3 times, \d\d:00 to \d\d:50$/)
  expect(storiesIn(calls.slice(0, 1)).map(timesText)).toEqual([''])
})

test('apart, each entry is a story', () => {
  expect(
    storiesIn([entry('delivery.released', 's', 2), entry('delivery.approved', 's', 1)], { apart: true }),
  ).toHaveLength(2)
})
