import { expect, test } from 'vitest'
import { keysIn, type LoggedEntry, messagesOf } from './webhook-message.ts'

const AT = '2026-06-01T12:00:00.000Z'
const BUNDLE = { kind: 'bundle', id: 'b', name: 'dev/app' }
const KEY = { kind: 'key', id: 'k', name: 'API_KEY' }
const OTHER = { id: 'c', name: 'dev/other' }

/** The types and data of what an entry makes, where two bundles deliver its key under these names. */
function messagesAbout(
  action: string,
  target: object,
  data: object,
  names: readonly string[] = ['KEY_A', 'KEY_B'],
) {
  const entry = { seq: 7, at: AT, action, target, data, actor: { kind: 'user', id: 'u' } }
  const places = [BUNDLE, OTHER].flatMap(({ id, name }, index) => {
    const as = names[index]
    return as === undefined ? [] : [{ keyId: 'k', bundle: { id, name }, name: as }]
  })
  const facts = { people: new Map(), waitingUrl: '', places: new Map([['k', places]]) }
  return messagesOf([entry as unknown as LoggedEntry], facts).map((message) => {
    const { seq, actor, ...more } = message.data
    expect([seq, actor, message.at]).toEqual([7, { kind: 'user', id: 'u' }, AT])
    return [message.type, more]
  })
}

const changed = (keys: object[], bundle: object = { id: 'b', name: 'dev/app' }) => [
  'bundle.changed',
  { bundle, keys },
]
const key = (name: string, change: string, version: number | null = null) => ({ name, change, version })
const ofKey = { key: { id: 'k', name: 'API_KEY' } }

test.each<[string, string, object, readonly string[], string]>([
  ['an added key has the name that the bundle delivers', 'bundle.attached', ofKey, ['KEY_A'], 'KEY_A'],
  ['a removed key has the name that it had', 'bundle.detached', { ...ofKey, as: 'OLD' }, ['KEY_A'], 'OLD'],
  ['a key that is nowhere any more has its own name', 'bundle.detached', ofKey, [], 'API_KEY'],
])('%s', (_, action, data, names, name) => {
  expect(messagesAbout(action, BUNDLE, data, names)).toEqual([
    changed([key(name, action.slice('bundle.'.length))]),
  ])
})

const attachmentChanged = (data: object) =>
  messagesAbout('bundle.attachment_changed', BUNDLE, { ...ofKey, ...data })

test('another value or another name of a key of a bundle is a change of that bundle, whole', () => {
  expect(attachmentChanged({ replaced: 'x' })).toEqual([changed([key('KEY_A', 'value')])])
  expect(attachmentChanged({ as: 'NEW' })).toEqual([changed([key('NEW', 'renamed')])])
  expect(attachmentChanged({ required: true })).toEqual([])
})

test('a new value of a key is a change of each bundle that delivers it', () => {
  expect(messagesAbout('key.changed', KEY, { version: 3 })).toEqual([
    ['key.changed', { key: { id: 'k', name: 'API_KEY' }, version: 3 }],
    changed([key('KEY_A', 'value', 3)]),
    changed([key('KEY_B', 'value', 3)], OTHER),
  ])
})

test('a long list says that it is cut', () => {
  const names = { names: ['A', 'B'] }
  const keys = ['A', 'B'].map((name) => key(name, 'imported'))
  expect(messagesAbout('bundle.imported', BUNDLE, names)).toEqual([changed(keys)])
  const [, data] = changed(keys)
  expect(messagesAbout('bundle.imported', BUNDLE, { ...names, names_count: 900 })).toEqual([
    ['bundle.changed', { ...(data as object), keys_truncated: true }],
  ])
})

const MACHINE = { kind: 'machine', id: 'm', name: 'ci' }

const refused = (count: number) => [
  ['machine.refused', { machine: { id: 'm', name: 'ci' }, reason: 'x', count }],
]

test('a refusal of a machine counts as one, unless the entry counts several', () => {
  expect(messagesAbout('delivery.refused', MACHINE, { reason: 'x' })).toEqual(refused(1))
  expect(messagesAbout('delivery.refused', MACHINE, { reason: 'x', count: 5 })).toEqual(refused(5))
})

const entry = (target: object, data: object) => ({ target, data }) as unknown as LoggedEntry

test('an entry that is for nobody makes no message, and names the keys whose places it tells', () => {
  expect(messagesAbout('member.limited', { kind: 'user', id: 'u', name: 'sam' }, {})).toEqual([])
  expect(keysIn(entry(KEY, { key: { id: 'other' } }))).toEqual(['k', 'other'])
  expect(keysIn(entry(BUNDLE, { key: 'k' }))).toEqual([])
})
