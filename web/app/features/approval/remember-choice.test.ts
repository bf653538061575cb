import { expect, test } from 'vitest'
import type { RequestBundle, RequestContext } from '../../lib/calls/answers.ts'
import { offeredHours, repositoryOf } from './remember-choice.tsx'

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
const refused = { by: 'refused', code: 'release_required', reason: '' } as const

test.each([
  ['one and eight hours', bundle(8), loopback, [1, 8]],
  ['what a long rule allows', bundle(12), loopback, [1, 8]],
  ['what a short rule allows', bundle(3), loopback, [1, 3]],
  ['one hour', bundle(1), loopback, [1]],
  ['nothing where the rule is never', bundle(0), loopback, []],
  ['nothing where a code returns it', bundle(8), code, []],
  ['both on a server of one person', bundle(8, false), none, [1, 8]],
  ['nothing where the page cannot approve', bundle(8, false), refused, []],
  ['nothing where nothing returns', bundle(8), none, []],
  ['nothing before the bundle has loaded', null, loopback, []],
])('offers %s', (_, given, plan, hours) => {
  expect(offeredHours(given, plan)).toEqual(hours)
})

test('other working trees are offered only where the rules allow it, and the terminal named them', () => {
  const context = { repository: '/home/sam/shop' } as RequestContext
  const allowed = { ...bundle(8), remember_repository: true } as const
  expect(repositoryOf(context, allowed)).toBe('/home/sam/shop')
  expect(repositoryOf(context, bundle(8))).toBeNull()
  expect(repositoryOf(context, null)).toBeNull()
  expect(repositoryOf({} as RequestContext, allowed)).toBeNull()
})
