import { test, vi } from 'vitest'
import {
  type Answered,
  expectWords,
  FORBIDDEN,
  of,
  onPage,
  type State,
  wordsOf,
} from '../../test/static-words.ts'
import { ActivityPage } from './activity-page.tsx'
import { DeliveryPage } from './delivery-page.tsx'

onPage()

const NONE = { approvals: 0, values: 0, machines: 0, rules: 0, refused: 0, sign_ins: 0 }
const DAYS = {
  days: [
    { day: '2026-05-29', counts: { ...NONE, refused: 1 } },
    { day: '2026-05-30', counts: NONE },
    { day: '2026-05-31', counts: { ...NONE, approvals: 3, values: 1 } },
    ...[1, 2, 3, 4, 5].map((day) => ({ day: `2026-06-0${day}`, counts: { ...NONE, approvals: day } })),
  ],
  counted_since: null,
}
const ENTRY = {
  seq: 1,
  id: 'e1',
  at: '2026-06-01T11:00:00.000Z',
  sealed: true,
  action: 'key.changed',
  actor: { kind: 'user', id: 'u1', name: 'kim' },
  target: { kind: 'key', id: 'k1', name: 'PORT' },
  data: {},
  origin: null,
  story: 's1',
}
const ENTRIES = [
  {
    ...ENTRY,
    seq: 5,
    id: 'e5',
    story: 's5',
    action: 'delivery.not_released',
    at: '2026-06-01T11:30:00.000Z',
    target: { kind: 'bundle', id: 'b1', name: 'dev/app' },
  },
  {
    ...ENTRY,
    seq: 4,
    id: 'e4',
    story: 's4',
    action: 'member.removed',
    target: { kind: 'user', id: 'u9', name: 'max' },
  },
  { ...ENTRY, seq: 3, id: 'e3', story: 's3', sealed: false, actor: { kind: 'user', id: 'u2', name: null } },
  { ...ENTRY, seq: 2, id: 'e2' },
  { ...ENTRY, at: '2026-05-31T11:00:00.000Z' },
  {
    ...ENTRY,
    seq: 0,
    id: 'e0',
    story: 's0',
    action: 'user.signed_in',
    origin: { ip: '10.0.0.1', user_agent: 'curl/8' },
  },
]
const log = (
  name: 'listAudit' | 'listOwnAudit',
  entries: readonly object[],
  filter: object = {},
): Answered => [name, filter, { pages: [entries], pageParams: [null] }]
const zone = () => Intl.DateTimeFormat().resolvedOptions().timeZone
const days = (change: object, more: object = {}): Answered => [
  'countAuditDays',
  { days: 14, time_zone: zone(), ...more },
  { ...DAYS, ...change },
]
const MEMBER: Answered = ['getMe', {}, { user_id: 'u1', may: [] }]
const NOTE = 'keyferry chain v1\nkeyferry.example/audit/w1\n1234\nAAAA\n2 2026-06-01T11:59:00.000Z\n'
const page = ({ answered = [], ...state }: State = {}) =>
  wordsOf(of(ActivityPage), {
    ...state,
    answered: [
      ['getMe', {}, { user_id: 'u1', may: ['listAudit', 'listMachines', 'listHoldings'] }],
      days({}),
      log('listAudit', ENTRIES),
      log('listOwnAudit', []),
      ['listMembers', {}, [{ user_id: 'u1', username: 'kim' }]],
      ['listMachines', { limit: 1_000 }, [{ id: 'm1', name: 'ci' }]],
      ['listBundles', {}, [{ id: 'b1', name: 'dev/app' }]],
      [
        'listAudit',
        { action: 'member.removed', limit: 1_000 },
        [
          { target: { id: 'u9', name: 'max' } },
          { target: { id: 'u8', name: null } },
          { target: { id: 'u1', name: 'kim' } },
        ],
      ],
      ...answered,
    ],
  })
const opened = { Menu: [['onToggle', undefined, { newState: 'open' }]] } as const
const filtered = (search: string, filter: object, more: object = {}, state: State = {}) =>
  page({
    ...state,
    at: `/activity?${search}`,
    answered: [log('listAudit', ENTRIES.slice(3), filter), days({}, more)],
  })

const HELD = {
  key: { id: 'k1', name: 'PORT', version: 1, bundles: [], is_secret: true },
  version: 1,
  perhaps_version: null,
}
const removed = (known: readonly object[]) =>
  page({
    answered: [
      log('listAudit', ENTRIES.slice(1, 2)),
      ['listHoldings', { user_id: 'u9', limit: 1_000 }, known],
      ['listTypedValues', { user_id: 'u9', limit: 1_000 }, []],
    ],
    acts: { StoryRow: [['onClick', 'div', { target: null }]] },
  })

test('the activity page shows the recorded text', async () => {
  // The person has selected no text.
  vi.stubGlobal('Element', Object)
  vi.stubGlobal('getSelection', () => '')
  await expectWords(import.meta.filename, {
    'activity, loading': wordsOf(of(ActivityPage)),
    activity: page(),
    'activity, for a member': page({ answered: [MEMBER] }),
    'activity does not load': page({ answered: [['listAudit', {}, FORBIDDEN]] }),
    'the menu': page({ acts: opened }),
    'the menu in the list of entries': filtered('view=entries', {}, {}, { acts: opened }),
    'counts since a date': page({ answered: [days({ counted_since: '2026-05-01T12:00:00.000Z' })] }),
    'activity with another page': page({
      answered: [
        log(
          'listAudit',
          Array.from({ length: 100 }, () => ENTRY),
        ),
      ],
    }),
    'activity of one kind': filtered('group=approvals', { group: 'approvals' }),
    'activity of one person': filtered('by=u1', { actor: 'u1' }, { actor: 'u1' }),
    'activity of a former member': filtered('by=u7', { actor: 'u7' }, { actor: 'u7' }),
    'activity about a bundle': filtered('about=b1', { target: 'b1' }, { target: 'b1' }),
    'activity about a variable': filtered('about=k1', { target: 'k1' }, { target: 'k1' }),
    'activity on a day': filtered('from=2026-05-31&to=2026-05-31', {}),
    'activity since a day': filtered('from=2026-06-02', {}),
    'activity until a day': filtered('to=2026-06-02', {}),
    'activity between two days': filtered('from=2026-05-31&to=2026-06-02', {}),
    'choose a kind': page({ acts: { ActivityFilters: [['onClick', 'button']] } }),
    'show all days': filtered(
      'from=2026-05-31&to=2026-05-31',
      {},
      {},
      { acts: { ActivityFilters: [['onChange', 'BundlePicker', 'b1']] } },
    ),
    'open a story': page({ acts: { StoryRow: [['onClick', 'div', { target: null }]] } }),
    'a person who holds nothing was removed': removed([]),
    'a person who holds a value was removed': removed([HELD]),
    'a person whose value changed since was removed': removed([
      { ...HELD, key: { ...HELD.key, version: 2 } },
    ]),
    'a delivery, for a member': wordsOf(of(DeliveryPage, { id: 'd1' }), { answered: [MEMBER] }),
    'a delivery, loading': wordsOf(of(DeliveryPage, { id: 'd1' })),
    sealed: page({ answered: [['getAuditNote', {}, NOTE]] }),
    'check the log': page({
      answered: [['getAuditNote', {}, NOTE]],
      acts: { CheckpointLine: [['onClick']] },
    }),
    'check the log, closed': page({
      answered: [['getAuditNote', {}, NOTE]],
      acts: { CheckpointLine: [['onClick'], ['onClose']] },
    }),
  })
})
