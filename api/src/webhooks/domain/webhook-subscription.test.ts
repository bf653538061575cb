import { expect, test } from 'vitest'
import type { MessageDraft } from './webhook-message.ts'
import { giveUpAt, messagesFor, type Subscription } from './webhook-subscription.ts'

const NOW = '2026-06-01T00:00:00.000Z'

const draft = (change: Partial<MessageDraft> = {}): MessageDraft => ({
  type: 'bundle.changed',
  bundleIds: ['b1'],
  mergeKey: 'b1',
  at: NOW,
  data: { seq: 1 },
  ...change,
})

const subscription = (change: Partial<Subscription> = {}): Subscription => ({
  madeAt: NOW,
  events: new Set(),
  bundleIds: new Set(),
  ...change,
})

test('a webhook without a choice gets every message', () => {
  const drafts = [draft(), draft({ type: 'member.joined', bundleIds: null, mergeKey: null })]
  expect(messagesFor(subscription(), drafts)).toEqual(drafts)
})

test('a webhook gets nothing that happened before it was made', () => {
  expect(messagesFor(subscription({ madeAt: '2026-06-01T00:00:00.001Z' }), [draft()])).toEqual([])
})

test('a choice of events leaves out the others', () => {
  expect(messagesFor(subscription({ events: new Set(['key.deleted']) }), [draft()])).toEqual([])
  expect(messagesFor(subscription({ events: new Set(['bundle.changed']) }), [draft()])).toHaveLength(1)
})

test('a choice of bundles leaves out other bundles, and keeps what is about no bundle', () => {
  const chosen = subscription({ bundleIds: new Set(['b2']) })
  expect(messagesFor(chosen, [draft()])).toEqual([])
  expect(messagesFor(chosen, [draft({ bundleIds: ['b1', 'b2'] })])).toHaveLength(1)
  expect(messagesFor(chosen, [draft({ bundleIds: null })])).toHaveLength(1)
})

test('changes of the same thing become one message with the newest entry', () => {
  const drafts = [draft({ data: { seq: 1, count: 2 } }), draft({ data: { seq: 5, count: 1 } })]
  expect(messagesFor(subscription(), drafts)).toEqual([draft({ data: { seq: 5, count: 3 } })])
})

test('messages that may not be merged stay apart', () => {
  expect(messagesFor(subscription(), [draft({ mergeKey: null }), draft({ mergeKey: null })])).toHaveLength(2)
})

test('a message is given up after five days', () => {
  expect(giveUpAt('2026-06-01T00:00:00.000Z')).toBe('2026-06-06T00:00:00.000Z')
})
