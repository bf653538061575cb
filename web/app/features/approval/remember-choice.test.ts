import { expect, test } from 'vitest'
import type { RequestBundle } from '../../lib/calls/answers.ts'
import { offeredHours } from './remember-choice.tsx'

const bundle = (remember_hours: number, remember_needs_loopback = true): RequestBundle => ({
  id: '1',
  name: 'dev/app',
  description: '',
  items: [],
  remember_hours,
  remember_needs_loopback,
})
const loopback = { by: 'loopback', wayBack: { port: 1, token: 'a' } } as const
const code = { by: 'code' } as const
const none = { by: 'none' } as const

test.each([
  ['one and eight hours', bundle(8), loopback, [1, 8]],
  ['what a long rule allows', bundle(12), loopback, [1, 8]],
  ['what a short rule allows', bundle(3), loopback, [1, 3]],
  ['one hour', bundle(1), loopback, [1]],
  ['nothing where the rule is never', bundle(0), loopback, []],
  ['nothing where a code returns it', bundle(8), code, []],
  ['both on a server of one person', bundle(8, false), none, [1, 8]],
  ['nothing before the bundle has loaded', null, loopback, []],
])('offers %s', (_, given, plan, hours) => {
  expect(offeredHours(given, plan)).toEqual(hours)
})
