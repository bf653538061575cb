import { expect, test } from 'vitest'
import type { Delivery } from '../server/wait-answer.ts'
import { deliveredOutcome, deliveryNotes } from './outcome.ts'

const DELIVERY: Delivery = {
  ciphertextBase64: '',
  bundle: { id: 'b', name: 'dev/app' },
  workspace: { id: 'w', name: 'Acme' },
  missingRequired: [],
  expired: [],
  deliveryId: 'd',
  versions: [],
  taskUntil: null,
  receipt: null,
}
const WISH = { bundle: 'dev/app', keys: ['A'], acceptsAnyBundle: false }

test('a delivery of all that was asked for needs no note', () => {
  expect(deliveryNotes(['A'], DELIVERY, WISH)).toEqual([])
})

test.each<[string, Parameters<typeof deliveryNotes>, string]>([
  [
    'what was optional',
    [['A'], DELIVERY, { ...WISH, keys: ['A', 'B', 'C'] }],
    'optional and not delivered: B, C',
  ],
  [
    'what the approver left out',
    [['A'], { ...DELIVERY, missingRequired: ['B', 'C'] }, WISH],
    'the bundle marks as required, but the approver left out: B, C',
  ],
  [
    'what has expired',
    [['A', 'B'], { ...DELIVERY, expired: ['A', 'B'] }, { ...WISH, keys: [] }],
    'expired, ask an owner to replace: A, B',
  ],
])('a note names %s', (_, asked, note) => expect(deliveryNotes(...asked)).toEqual([note]))

test('a note says what differs from the example file', () => {
  const notes = deliveryNotes(['A', 'OLD'], DELIVERY, { ...WISH, keys: [], expected: ['A', 'NEW'] })
  expect(notes.join('\n')).toContain('NEW')
  expect(notes.join('\n')).toContain('OLD')
})

test('a note says that the server does not name the bundle, where one was asked for', () => {
  const note = 'this server does not say which bundle was approved'
  const notesOf = (
    delivery: Delivery,
    wish: typeof WISH | { bundle: null; keys: []; acceptsAnyBundle: true },
  ) => deliveredOutcome({ names: ['A'], delivery, receipt: null }, wish).notes
  expect(notesOf({ ...DELIVERY, bundle: null }, WISH)).toEqual([note])
  expect(notesOf(DELIVERY, WISH)).toEqual([])
  expect(notesOf({ ...DELIVERY, bundle: null }, { ...WISH, acceptsAnyBundle: true })).toEqual([])
  expect(notesOf({ ...DELIVERY, bundle: null }, { bundle: null, keys: [], acceptsAnyBundle: true })).toEqual(
    [],
  )
})

test('the outcome says how many values came, from where, and who approved', () => {
  const { text, event } = deliveredOutcome({ names: ['A'], delivery: DELIVERY, receipt: null }, WISH)
  expect(text).toBe('1 value from dev/app in workspace "Acme", approved')
  expect(event).toMatchObject({ bundle: 'dev/app', workspace: 'Acme', approvers: [], released_by: null })
})
