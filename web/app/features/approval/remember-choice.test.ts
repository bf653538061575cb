import { expect, test } from 'vitest'
import type { RequestBundle, RequestContext } from '../../lib/calls/answers.ts'
import { offeredHours, offeredTask, repositoryOf } from './remember-choice.tsx'

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
  ['eight hours', bundle(8), loopback, 8],
  ['eight hours where a rule allows more', bundle(12), loopback, 8],
  ['what a short rule allows', bundle(3), loopback, 3],
  ['nothing where the rule is never', bundle(0), loopback, 0],
  ['nothing where a code returns it', bundle(8), code, 0],
  ['them on a server of one person', bundle(8, false), none, 8],
  ['nothing where the page cannot approve', bundle(8, false), refused, 0],
  ['nothing where nothing returns', bundle(8), none, 0],
  ['nothing before the bundle has loaded', null, loopback, 0],
])('offers %s', (_, given, plan, hours) => {
  expect(offeredHours(given, plan)).toBe(hours)
})

test.each([
  ['over loopback', true, loopback, true],
  ['by a code', true, code, true],
  ['on a server of one person', false, none, true],
  ['where nothing returns', true, none, false],
  ['for the next run', false, { by: 'later' } as const, false],
  ['where the page cannot approve', false, refused, false],
])('a task %s: %s', (_, needsLoopback, plan, isOffered) => {
  const task = { also: [] }
  const rules = { ...bundle(8, needsLoopback), task }
  expect(offeredTask(rules, plan)).toBe(isOffered ? task : null)
  expect(offeredTask(bundle(8, needsLoopback), plan)).toBeNull()
})

test('other working trees are offered only where the rules allow it, and the terminal named them', () => {
  const context = { repository: '/home/sam/shop' } as RequestContext
  const allowed = { ...bundle(8), remember_repository: true } as const
  expect(repositoryOf(context, allowed)).toBe('/home/sam/shop')
  expect(repositoryOf(context, bundle(8))).toBeNull()
  expect(repositoryOf(context, null)).toBeNull()
  expect(repositoryOf({} as RequestContext, allowed)).toBeNull()
})
