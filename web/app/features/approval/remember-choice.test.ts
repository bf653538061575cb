import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { RequestBundle, RequestContext } from '../../lib/calls/answers.ts'
import { offeredHours, offeredTask, repositoryOf, useRemembered } from './remember-choice.tsx'

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

type Remembered = ReturnType<typeof useRemembered>

/** What counts after these steps, which follow each other while the page renders. */
function rememberedAfter(...steps: readonly ((remembered: Remembered) => void)[]) {
  const left = [...steps]
  const reloads: string[] = []
  let shown: object = {}
  const Page = () => {
    const offered = { hours: 8, task: { also: [] }, repository: '/home/sam/shop' }
    const remembered = useRemembered(offered, () => void reloads.push('waiting commands'))
    left.shift()?.(remembered)
    const { hours, task, isForAll } = remembered
    shown = { hours, isTask: task !== null, isForAll, reloads: reloads.length }
    return null
  }
  renderToStaticMarkup(createElement(Page))
  return shown
}

const choose = (what: 'once' | 'again' | 'task') => (remembered: Remembered) => remembered.choose(what)
const forAll = (remembered: Remembered) => remembered.onForAll(true)

test('an approval counts once and in one working tree, until the person chooses more', () => {
  const once = { hours: 0, isTask: false, isForAll: false, reloads: 0 }
  expect(rememberedAfter()).toEqual(once)
  expect(rememberedAfter(choose('again'))).toEqual({ ...once, hours: 8 })
  expect(rememberedAfter(choose('again'), forAll)).toEqual({ ...once, hours: 8, isForAll: true })
  expect(rememberedAfter(choose('again'), forAll, choose('once'))).toEqual(once)
  expect(rememberedAfter(choose('task'))).toEqual({ ...once, isTask: true, reloads: 1 })
})
