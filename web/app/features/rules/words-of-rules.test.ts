import { test } from 'vitest'
import {
  type Answered,
  expectWords,
  FORBIDDEN,
  handedTo,
  of,
  onPage,
  type State,
  wordsOf,
} from '../../test/static-words.ts'
import { PeopleChoice } from '../../ui/people-choice.tsx'
import { askFor } from './asked-change.ts'
import { RulesPage } from './rules-page.tsx'

onPage()

const WEAKEST = {
  assurance: 'compat',
  approvers: 'member',
  people: null,
  changers: 'member',
  approvals_needed: 1,
  agents: 'ask',
  remember_hours: 8,
  tasks: 'none',
  touch: 'none',
}
const NOTHING = Object.fromEntries(Object.keys(WEAKEST).map((name) => [name, null]))
const PLACE = {
  folder: null,
  bundle: null,
  variable: null,
  set: NOTHING,
  limit: NOTHING,
  above: WEAKEST,
  effective: WEAKEST,
  is_production: false,
  production: 'by_name',
}
const STRICT = {
  ...WEAKEST,
  assurance: 'bound',
  approvers: 'owner',
  approvals_needed: 2,
  remember_hours: 0,
}
const PROD = {
  ...PLACE,
  folder: 'prod/',
  is_production: true,
  set: { ...NOTHING, approvers: 'owner', approvals_needed: 2 },
  effective: STRICT,
}
const NAMED = {
  ...PLACE,
  bundle: { id: 'b1', name: 'dev/app' },
  set: { ...NOTHING, approvers: 'named', people: ['u1', 'u2'] },
  effective: { ...WEAKEST, approvers: 'named', people: ['u1', 'u2'] },
}
const DEV = { ...PLACE, folder: 'dev/' }
const member = (id: number, role = 'member') => ({
  user_id: `u${id}`,
  username: `person${id}`,
  role,
  email: '',
})
const KIM = { ...member(1, 'owner'), username: 'kim' }
const GRANT = {
  id: 'g1',
  bundle: { id: 'b1', name: 'dev/app' },
  person: { id: 'u1', name: null },
  label: { hostname: 'mac', user: 'kim', program: 'npm' },
  argv: ['npm', 'start'],
  cwd: '/shop',
  agent: null,
  task: null,
  keys: ['PORT'],
  uses: 1,
  uses_left: 5,
  expires_at: '2026-06-02T12:00:00.000Z',
  last_used_at: null,
}
const OPERATIONS = ['changeTenantPolicy', 'changeBundlePolicy']
const policy = (places: readonly object[], advice: readonly string[] = [], asked: object = {}) =>
  [
    'getTenantPolicy',
    { places: '1', ...asked },
    { places, advice, workspace: { assurance: 'compat' } },
  ] as const
const members = (...some: readonly object[]) => ['listMembers', {}, some] as const
const MEMBER = ['getMe', {}, { may: [], auth_mode: 'accounts' }] as const
const ANSWERS: readonly Answered[] = [
  ['getMe', {}, { may: OPERATIONS, auth_mode: 'accounts' }],
  policy([PLACE]),
  members(KIM, member(2)),
  ['listGroups', {}, []],
  ['listGrants', { limit: 1_000 }, []],
  [
    'listBundles',
    { limit: 1_000 },
    [
      { id: 'b1', name: 'dev/eu/app' },
      { id: 'b2', name: 'mails' },
    ],
  ],
  ['listBundles', { query: '', limit: 20 }, [{ id: 'b2', name: 'mails' }]],
  [
    'listBundles',
    { query: 'prod/', limit: 20 },
    [
      { id: 'b3', name: 'nonprod/a' },
      { id: 'b4', name: 'prod/shop' },
    ],
  ],
  ['getBundlePolicy', { bundle_id: 'b1' }, { also: [] }],
]
const page = ({ answered = [], ...state }: State = {}) =>
  wordsOf(of(RulesPage), { ...state, answered: [...ANSWERS, ...answered] })
const rules = (places: readonly object[], state: State = {}) =>
  page({ ...state, answered: [policy(places), ...(state.answered ?? [])] })
const opened = { Menu: [['onToggle', undefined, { newState: 'open' }]] } as const
const chosen = (field: string, value: unknown, made: unknown, place: object = PLACE) =>
  rules([place], {
    acts: { PlaceRules: [['onChoose', undefined, { field, value }]] },
    changes: { PlaceRules: [{ made }, { made }] },
  })
const example = (change: object, ...some: readonly object[]) =>
  rules([{ ...PLACE, effective: { ...WEAKEST, ...change } }], { answered: [MEMBER, members(...some)] })

const choice = (people: readonly string[]) =>
  wordsOf(
    of(PeopleChoice, { legend: 'People', chosen: people, onChange: () => undefined, withGroups: true }),
    {
      answered: [...ANSWERS, ['listGroups', {}, [{ id: 'g1', name: 'ops', people: ['u1'] }]]],
    },
  )

const asking = (place: object, name: string, field: string, value: unknown, state: State = {}) => {
  askFor({ place: name, chosen: { field, value } as never })
  const text = rules([place], state)
  askFor(null)
  return text
}

test('rule pages show the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'rules do not load': page({ answered: [['getTenantPolicy', { places: '1' }, FORBIDDEN]] }),
    'the weakest rules': page(),
    'the weakest rules, before the bundles are known': page({
      answered: [['listBundles', { query: '', limit: 20 }, FORBIDDEN]],
    }),
    'no other place after all': page({ acts: { AddPlace: [['onClick'], ['onClose']] } }),
    'the weakest rules, for a member': page({ answered: [MEMBER] }),
    'in local mode': page({
      answered: [['getMe', {}, { may: OPERATIONS, auth_mode: 'local' }]],
      acts: opened,
    }),
    'rules of production': rules([PLACE, PROD, DEV]),
    'rules of a requested folder': page({
      at: '/rules?folder=dev/',
      answered: [policy([PLACE, PROD, DEV], [], { folder: 'dev/' })],
    }),
    'rules of a bundle': rules([PLACE, NAMED]),
    'rules of a bundle, for a member': rules([PLACE, NAMED], { answered: [MEMBER] }),
    'rules of a bundle that others share': rules([NAMED], {
      answered: [
        [
          'getBundlePolicy',
          { bundle_id: 'b1' },
          {
            also: [
              { bundle: { id: 'b2', name: 'dev/api' }, secrets: 1 },
              { bundle: { id: 'b3', name: 'qa/api' }, secrets: 2 },
            ],
          },
        ],
      ],
    }),
    'rules of a bundle for production': rules([{ ...NAMED, is_production: true, production: 'yes' }], {
      acts: opened,
    }),
    advice: page({ answered: [policy([PLACE], ['use_bound'])] }),
    'advice is taken': page({
      answered: [policy([PLACE], ['use_bound'])],
      acts: { UseBound: [['onClick']] },
      changes: { UseBound: [{ made: {} }] },
    }),
    'advice is refused': page({
      answered: [policy([PLACE], ['use_bound'])],
      acts: { UseBound: [['onClick']] },
      changes: { UseBound: [{ made: FORBIDDEN }] },
    }),
    'remembered approvals': page({ answered: [['listGrants', { limit: 1_000 }, [GRANT]]] }),
    'remembered approvals, for a member': page({
      answered: [['listGrants', { limit: 1_000 }, [GRANT]], MEMBER],
    }),
    'the menu of approvers': rules([PROD], { acts: opened }),
    'a person is chosen no more, nor is one who left': handedTo(
      'onChange',
      [PeopleChoice, { legend: 'People who may say yes', chosen: ['u1', 'u9'] }],
      { answered: ANSWERS, acts: { Choices: [['onChange', 'Checkbox', false]] } },
    ),
    'nobody is chosen yet': choice([]),
    'a person is chosen': choice(['u1']),
    'another place': page({ acts: { AddPlace: [['onClick']] } }),
    'another place, chosen': page({
      acts: {
        AddPlace: [['onClick']],
        PlaceDialog: [
          ['onChoose', undefined, 'folder=dev/eu/'],
          ['onClick', 'Show its rules'],
        ],
      },
    }),
    'a stricter rule': chosen('approvers', 'owner', {}),
    'a stricter rule, undone': rules([PLACE]),
    'a stricter rule, undone and kept': rules([PLACE], { acts: { ConfirmLooser: [['onClick', 'Keep it']] } }),
    'a stricter rule, refused': chosen('approvers', 'owner', FORBIDDEN),
    'a stricter rule of a folder': chosen('remember_hours', 0, {}, DEV),
    'a stricter rule of a bundle': chosen('approvers', 'owner', {}, NAMED),
    'a rule ends': chosen('agents', null, {}, { ...PLACE, set: { ...NOTHING, agents: 'ask' } }),
    'a looser rule': asking(PROD, 'prod/', 'approvers', 'member'),
    'a looser rule, kept': asking(PROD, 'prod/', 'approvers', 'member', {
      acts: { ConfirmLooser: [['onClick', 'Keep it']] },
    }),
    'a looser rule, confirmed': asking({ ...PROD, is_production: false }, 'prod/', 'approvers', 'member', {
      acts: { PlaceRules: [['onConfirm']] },
      changes: { PlaceRules: [null, { made: {} }] },
    }),
    'an example without people': example({}),
    'an example with one': example({}, KIM),
    'an example with two': example({}, KIM, member(2)),
    'an example with three': example({}, KIM, member(2), member(3)),
    'an example with four': example({}, KIM, member(2), member(3), member(4)),
    'an example that two approve': example({ approvals_needed: 2 }, KIM, member(2)),
    'an example that two of three approve': example({ approvals_needed: 2 }, KIM, member(2), member(3)),
    'an example that is stuck': example({ approvals_needed: 2, approvers: 'owner' }, KIM, member(2)),
    'an example that nobody approves': example({ people: ['u9'] }, KIM, member(2)),
  })
})
