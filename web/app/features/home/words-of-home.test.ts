import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import {
  type Answered,
  expectWords,
  FORBIDDEN,
  of,
  onPage,
  type State,
  whileKept,
  wordsOf,
} from '../../test/static-words.ts'
import { DueStrip } from './due-strip.tsx'
import { FirstSteps } from './first-steps.tsx'
import { HomePage } from './home-page.tsx'
import { NotFoundPage } from './not-found-page.tsx'
import { OwnProposals } from './own-proposals.tsx'
import { RunningTasks } from './running-tasks.tsx'
import { UnusedVariables } from './unused-variables.tsx'
import { WaitingCards } from './waiting-cards.tsx'
import { WelcomePage } from './welcome-page.tsx'
import { ForeignWorkspacePage, NoWorkspacePage } from './workspace-pages.tsx'

onPage()

const NOW = Date.parse('2026-06-01T12:00:00.000Z')
const day = (days: number) => new Date(NOW + days * 86_400_000).toISOString()

const BUNDLE = {
  id: 'b1',
  name: 'dev/shop',
  tags: '',
  description: '',
  production: 'by_name',
  key_count: 2,
  marks: { expired: 0, due: 0 },
}
const BUNDLES = [
  BUNDLE,
  { ...BUNDLE, id: 'b2', name: 'prod/shop', key_count: 1, tags: 'web, eu', marks: { expired: 1, due: 2 } },
  { ...BUNDLE, id: 'b3', name: 'staging/api', description: 'the api', marks: { expired: 0, due: 3 } },
  { ...BUNDLE, id: 'b4', name: 'mails', production: 'yes', marks: undefined },
]
const KEY = {
  id: 'k1',
  name: 'PORT',
  value: '3000',
  is_secret: false,
  description: '',
  updated_at: day(-1),
  updated_by_name: 'kim',
  due: null,
  due_at: day(100),
  bundles: [{ id: 'b1', name: 'dev/shop', as: 'PORT' }],
  may_change: true,
  may_show: true,
}
const DUE = [
  { ...KEY, due: 'expired', due_at: day(-2) },
  { ...KEY, id: 'k2', name: 'TOKEN', due: 'soon', due_at: day(2), bundles: [] },
  {
    ...KEY,
    id: 'k3',
    due: 'rotate',
    due_at: day(80),
    bundles: [...KEY.bundles, { id: 'b2', name: 'prod/shop' }],
  },
  { ...KEY, id: 'k4' },
]
const GRANT = {
  id: 'g1',
  bundle: { id: 'b1', name: 'dev/shop' },
  person: { id: 'u1', name: 'kim' },
  label: { hostname: 'mac', user: 'kim', program: 'npm' },
  argv: ['npm', 'run', 'dev server'],
  cwd: '/home/kim/shop',
  agent: null,
  task: null,
  keys: ['PORT'],
  uses: 0,
  uses_left: 5,
  expires_at: day(1),
  last_used_at: null,
}
const TASK = {
  ...GRANT,
  id: 'g2',
  task: {},
  uses: 1,
  agent: 'claude',
  last_used_at: day(-1),
  keys: ['A', 'B'],
}
const ASKED = {
  person: { id: 'u2', name: 'lee' },
  at: day(-1),
  expires_at: day(1),
  bundle: { name: 'prod/shop' },
}
const PROPOSAL = {
  id: 'p1',
  bundle: { id: 'b1', name: 'dev/shop' },
  entries: [{ name: 'PORT' }],
  detach: [],
  sender: null,
  proposer: { id: 'u1', name: 'kim' },
  state: 'open',
  ended_at: null,
  created_at: day(-1),
  expires_at: day(6),
}
const SENT = {
  ...PROPOSAL,
  id: 'p2',
  detach: ['TOKEN'],
  sender: { user: 'lee', hostname: 'mac', ip: '10.0.0.1' },
}
const ITEMS = [
  { ...ASKED, kind: 'vouch', request_id: 'r1', key_count: 1 },
  { ...ASKED, kind: 'second_approval', request_id: 'r2', key_count: 2, person: { id: 'u3', name: null } },
  { ...ASKED, kind: 'proposal', proposal: PROPOSAL },
  { ...ASKED, kind: 'proposal', proposal: SENT },
]
const ME = { user_id: 'u1', auth_mode: 'accounts', may: [] }
const DATES = { due: '1', within_days: 365, uses: '1' }
const home = ({ answered = [], ...state }: State = {}, bundles: readonly object[] = BUNDLES) =>
  wordsOf(of(HomePage), {
    ...state,
    answered: [
      ['getMe', {}, ME],
      ['listBundles', { facts: '1' }, bundles],
      ['listWaiting', {}, []],
      ['listKeys', DATES, []],
      ['listKeys', { used: '0', limit: 1 }, []],
      ['listGrants', { limit: 1_000 }, []],
      ['listUse', {}, [{ id: 'b1', days: [0, 1, 2], last_at: day(-1) }]],
      ...answered,
    ],
  })
const cards = (items: readonly object[], state: State = {}, open = items) =>
  wordsOf(of(WaitingCards, { drawn: items }), {
    ...state,
    answered: [
      ['getMe', {}, ME],
      ['listWaiting', {}, open],
    ],
  })
const proposals = (some: readonly object[], state: State = {}) =>
  wordsOf(of(OwnProposals), {
    ...state,
    answered: [
      ['getMe', {}, ME],
      ['listProposals', {}, some],
    ],
  })
const tasks = (grants: readonly object[], running: readonly object[] = grants, state: State = {}) =>
  wordsOf(of(RunningTasks, { drawn: grants }), {
    ...state,
    answered: [['listGrants', { limit: 1_000 }, running]],
  })
const unused = (keys: readonly object[], query = '', state: State = {}) =>
  wordsOf(of(UnusedVariables, { query }), {
    ...state,
    answered: [
      ['listKeys', { used: '0', uses: '1' }, keys],
      ['getMe', {}, { ...ME, may: ['changeKeys'] }],
    ],
  })
const first = (auth_mode: string, tenants: number) =>
  wordsOf(of(FirstSteps), {
    answered: [
      ['getSession', {}, { auth_mode }],
      ['listTenants', {}, Array.from({ length: tenants }, (_, id) => ({ id, name: `W${id}` }))],
    ],
  })
const dates = (some: readonly object[]) => wordsOf(of(DueStrip, { keys: some }))
const TENANTS: readonly Answered[] = [['listTenants', {}, [{ id: 'w1', name: 'Acme' }]]]

test('the picture of what expires has a mark for each value of the next 90 days', () => {
  const html = renderToStaticMarkup(of(DueStrip, { keys: DUE }))
  expect(html.match(/<(circle|rect)/g)).toHaveLength(3)
})

test('the home page shows the recorded text', async () => {
  await expectWords(import.meta.filename, {
    applications: home(),
    'applications, loading': home({ answered: [['listBundles', { facts: '1' }, FORBIDDEN]] }),
    'before the use is known': home({ answered: [['listUse', {}, FORBIDDEN]] }),
    'many environments': home({}, [
      ...BUNDLES,
      ...['qa/shop', 'ci/shop'].map((name) => ({ ...BUNDLE, id: name, name })),
    ]),
    'no environment': home({}, [BUNDLES[3] ?? {}]),
    'a filter': home({ at: '/?query=api' }),
    'a tag': home({ at: '/?tag=eu' }),
    'nothing found': home({ at: '/?query=none' }),
    'variables in no bundle': home({ answered: [['listKeys', { used: '0', limit: 1 }, [KEY]]] }),
    'create an environment': home({ acts: { MissingCell: [['onClick']] } }),
    'type a filter': home({ acts: { Filter: [['onChange', 'Filter applications', 'shop']] } }),
    'choose a tag': home({ acts: { Filter: [['onChange', 'Tag', 'web']] } }),
    new: home({ acts: { Home: [['onClick', 'New']] } }),
    'new, closed': home({ at: '/?new=bundle', acts: { Home: [['onClose']] } }),
    'the filter of variables': home({ at: '/?show=unused' }),
    'a running task': home({ answered: [['listGrants', { limit: 1_000 }, [TASK]]] }),
    'a running task of another person, and an own approval': home({
      answered: [['listGrants', { limit: 1_000 }, [{ ...TASK, person: { id: 'u2', name: 'lee' } }, GRANT]]],
    }),
    cards: cards(ITEMS),
    'a card that has ended': cards(ITEMS.slice(0, 2), {}, ITEMS.slice(1)),
    'many cards': cards(Array.from({ length: 8 }, (_, at) => ({ ...ITEMS[0], request_id: `r${at}` }))),
    'all cards': cards(
      Array.from({ length: 8 }, (_, at) => ({ ...ITEMS[0], request_id: `r${at}` })),
      { acts: { WaitingCards: [['onClick', 'Show 2 more']] } },
    ),
    'cards of a person who is muted, and of one who is no longer': whileKept(
      'keyferry.muted',
      JSON.stringify({ u2: NOW + 1, u3: NOW - 1 }),
      () => cards(ITEMS),
    ),
    'no change request': proposals([{ ...PROPOSAL, proposer: { id: 'u2' } }]),
    'your change requests': proposals([
      { ...SENT, proposer: PROPOSAL.proposer },
      ...['stored', 'declined', 'expired', 'withdrawn'].map((state) => ({
        ...PROPOSAL,
        id: state,
        state,
        ended_at: day(-1),
      })),
    ]),
    'withdraw a change request': proposals([PROPOSAL], {
      acts: { Own: [['onClick']] },
      changes: { Own: [{ made: {} }] },
    }),
    'withdraw a change request, refused': proposals([PROPOSAL], {
      acts: { Own: [['onClick']] },
      changes: { Own: [{ made: FORBIDDEN }] },
    }),
    tasks: tasks([
      TASK,
      { ...TASK, id: 'g3', agent: null, uses: 2, last_used_at: null, keys: ['A'] },
      GRANT,
      { ...GRANT, id: 'g4', agent: 'claude', uses: 1, last_used_at: day(-1), repository: '/home/kim/all' },
      {
        ...GRANT,
        id: 'g5',
        changed: [
          { name: 'PORT', by: 'lee' },
          { name: 'HOST', by: null },
        ],
      },
    ]),
    'a task that ended': tasks([TASK], []),
    'end a task': tasks([TASK], [TASK], {
      acts: { GrantRow: [['onClick', 'End']] },
      changes: { GrantRow: [{ made: FORBIDDEN }] },
    }),
    'every variable is used': unused([]),
    'unused variables': unused([
      KEY,
      { ...KEY, id: 'k2', due: 'expired', description: 'the port' },
      { ...KEY, due: 'soon', id: 'k3', is_secret: true },
    ]),
    'unused variables, none found': unused([KEY], 'none'),
    'the first steps, alone': first('local', 1),
    'the first steps, in one of two workspaces': first('local', 2),
    'the first steps of a team': first('accounts', 1),
    'what expires': dates(DUE),
    'what expires later': dates(DUE.slice(2)),
    welcome: wordsOf(of(WelcomePage)),
    'no such page': wordsOf(of(NotFoundPage, { path: '/nowhere' })),
    'another workspace': wordsOf(of(ForeignWorkspacePage), { answered: TENANTS }),
    'no workspace': wordsOf(of(NoWorkspacePage)),
    'no workspace, without a name': wordsOf(of(NoWorkspacePage), {
      acts: { WorkspaceNameForm: [['onSubmit']] },
    }),
    'no workspace, a new one': wordsOf(of(NoWorkspacePage), {
      acts: { WorkspaceNameForm: [['onChange', 'New workspace', ' Shop '], ['onSubmit']] },
    }),
  })
})
