import { test } from 'vitest'
import { expectWords, of, onPage, refusal, type State, wordsOf } from '../../test/static-words.ts'
import { ExpiryPage } from './expiry-page.tsx'

onPage()

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const day = (days: number) => new Date(NOW + days * 86_400_000).toISOString()

const KEY = {
  id: 'k1',
  name: 'PORT',
  due: null,
  due_at: day(100),
  expires_at: day(100),
  rotate_after_days: null,
  value_set_at: day(-10),
  value_set_by: { name: 'kim' },
  bundles: [{ id: 'b1', name: 'dev/shop', as: 'PORT' }],
  may_change: true,
}
const [DEV, PROD] = [KEY.bundles[0] ?? { id: '', name: '' }, { id: 'b2', name: 'prod/shop', as: 'PORT' }]
const KEYS = [
  { ...KEY, id: 'k9', due_at: null },
  KEY,
  { ...KEY, id: 'k2', due: 'expired', due_at: day(-2), value_set_by: { name: null } },
  { ...KEY, id: 'k3', due: 'expired', due_at: day(-2.5), bundles: [DEV, PROD], may_change: false },
  { ...KEY, id: 'k4', due: 'expired', due_at: day(-0.5), bundles: [PROD] },
  { ...KEY, id: 'k5', due: 'soon', due_at: day(0), bundles: [], name: 'TOKEN' },
  {
    ...KEY,
    id: 'k6',
    due: 'soon',
    due_at: day(14),
    bundles: [DEV, PROD, ...['a', 'b'].map((id) => ({ ...DEV, id, name: `qa/${id}` }))],
  },
  { ...KEY, id: 'k7', due: 'rotate', due_at: day(14.5), rotate_after_days: 90 },
  {
    ...KEY,
    id: 'k8',
    due_at: day(20),
    rotate_after_days: 1,
    expires_at: null,
    bundles: [{ ...DEV, as: 'HTTP_PORT' }],
  },
  { ...KEY, id: 'k10', due_at: day(90), bundles: [DEV, PROD, { ...DEV, id: 'c' }] },
]
const USES = [
  { id: 'b1', days: [1, 2, 3], last_at: day(-1) },
  { id: 'b2', days: [0, 0, 1], last_at: day(-1) },
]
const STALE = { id: 'k5', name: 'TOKEN', holders: 1, value_set_at: day(-10) }
const page = (keys: unknown, { answered = [], ...state }: State = {}) =>
  wordsOf(of(ExpiryPage), {
    ...state,
    answered: [['listKeys', { due: '1', within_days: 365, uses: '1' }, keys], ...answered],
  })
const USED: State['answered'] = [
  ['listUse', {}, USES],
  ['listStaleKeys', { limit: 1_000 }, [STALE, { ...STALE, id: 'k6', holders: 2 }]],
]
const before = (keys: readonly object[]) =>
  ['listStaleKeys', { before: day(-7), limit: 1_000 }, keys] as const

test('the page of due dates shows the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'due dates do not load': page(refusal(403, 'forbidden', 'Forbidden')),
    nothing: page([]),
    'no variable has a due date': page([{ ...KEY, due_at: null }]),
    'one date': page([KEY]),
    dates: page(KEYS),
    'dates with their use': page(KEYS, { answered: USED }),
    'older values': page([], {
      answered: [before([STALE, { ...STALE, id: 'k6', name: 'PORT', holders: 2 }])],
    }),
  })
})
