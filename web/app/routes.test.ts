import { afterAll, beforeAll, expect, test } from 'vitest'
import { Routes } from './routes.tsx'
import { of, onPage, type State, wordsOf } from './test/static-words.ts'

onPage()
// The theme of the page is stored here.
beforeAll(() => void Object.assign(globalThis, { document: { documentElement: { dataset: {} } } }))
afterAll(() => void Reflect.deleteProperty(globalThis, 'document'))

const ME = { user_id: 'u1', username: 'kim', email: 'kim@example.com', auth_mode: 'accounts', may: [] }

const shown = (at: string, signed_in: boolean, acts: State['acts'] = {}) =>
  wordsOf(of(Routes), {
    acts,
    at,
    answered: [
      ['getSession', {}, { signed_in, auth_mode: 'accounts' }],
      ['getMe', {}, ME],
      ['listTenants', {}, []],
      ['listWaiting', {}, []],
    ],
  })

test.each([
  ['for a person who is signed out', '/', false, []],
  ['where a person signs in again', '/sign-in', true, []],
  ['of an invitation', '/invite/t', true, ['Workspaces']],
  ['of a person without a workspace', '/', true, ['Workspaces']],
])('the page %s leads to no page of a workspace', (_, at, isSignedIn, parts) => {
  const words = shown(at, isSignedIn)
  expect(['Workspaces', 'Go to…'].filter((part) => words.includes(part))).toEqual(parts)
})

test('the palette opens and closes on every page', () => {
  const before = shown('/invite/t', true)
  expect(shown('/invite/t', true, { Framed: [['onPalette']] })).not.toBe(before)
  expect(shown('/invite/t', true, { Framed: [['onPalette'], ['onClose']] })).toBe(before)
})
