import { createElement, Fragment } from 'react'
import { expect, test } from 'vitest'
import { expectWords, handedTo, of, onPage, type State, wordsOf } from '../../test/static-words.ts'
import { CheckCode } from './check-code.tsx'
import { DecisionBar } from './decision-bar.tsx'
import { Asked, Confirmation, labelOf } from './decision-page.tsx'
import { doubtsOf as deliveryDoubts, HandOver, vouchedOnly } from './kinds/delivery-offer.tsx'
import { DepositList } from './kinds/deposit-list.tsx'
import { DepositNotices } from './kinds/deposit-notices.tsx'
import { doubtsOf as depositDoubts } from './kinds/deposit-offer.tsx'
import { KeyList } from './kinds/key-list.tsx'
import { KeyNotes } from './kinds/key-notes.tsx'
import { OfferedNames } from './kinds/offered-names.tsx'
import { TypedValues } from './kinds/typed-values.tsx'
import { BundleChoice } from './place/bundle-choice.tsx'
import { RememberChoice } from './remember-choice.tsx'
import { dangerNames, ReasonFacts, ReasonRibbons } from './request/reason-facts.tsx'
import { reasonsOf } from './request/reasons.tsx'
import { RequestHeading } from './request/request-heading.tsx'
import { RequestPlace } from './request/request-place.tsx'

onPage('https://keyferry.example/approve/r1')

const nothing = () => undefined
const META = {
  ip: '10.0.0.1',
  user_agent: 'keyferry/1',
  requested_at: '2026-06-01T11:59:00.000Z',
  format: 'sh',
}
const CONTEXT = {
  template_keys: [],
  requester_meta: META,
  user_code: 'WDJB-MJHT',
  viewer_ip: '10.0.0.2',
  same_network: true,
  expires_at: '2026-06-01T12:05:00.000Z',
  suggested_bundle_id: 'dev/app',
  workspace: null,
  argv: ['npm', 'start'],
  release: ['loopback', 'code'],
}
const asked = (context: object = {}, more: object = {}) => ({
  requestId: 'r1',
  request: {
    context: { ...CONTEXT, ...context },
    candidates: [{ workspace: { id: 'w1' }, bundle: { id: 'b1', name: 'dev/app' } }],
    person: { account: 'kim', signsIn: true, workspaces: [{ id: 'w1', name: 'Acme' }], ...more },
  },
  openedByLink: false,
  wayBack: null,
  onEnd: nothing,
})
const agent = { requester_meta: { ...META, agent: 'claude' } }
const PLACE = {
  workspaceId: 'w1',
  workspace: { id: 'w1', name: 'Acme' },
  workspaceName: 'Acme',
  bundleId: 'b1',
  offered: [{ id: 'w1', name: 'Acme' }],
  bundles: { phase: 'ready', value: [{ id: 'b1', name: 'dev/app' }], problem: null, reload: nothing },
  chooseWorkspace: nothing,
  chooseBundle: nothing,
}
const ACTION = { label: 'Approve', count: 2, thing: 'variable', name: 'dev/app' }
const OFFER = {
  phase: 'ready',
  rules: null,
  bundle: { id: 'b1', name: 'dev/app' },
  content: 'The content',
  action: ACTION,
  doubts: [],
  approval: null,
}
const CODE = { field: { typed: null, onType: nothing, problem: null, inputRef: { current: null } } }
const OFFERED = { hours: 0, task: null, repository: null }
const REMEMBER = {
  offered: OFFERED,
  hours: 0,
  task: null,
  choose: nothing,
  isForAll: false,
  onForAll: nothing,
}
const HOURS = { ...REMEMBER, offered: { ...OFFERED, hours: 8 }, hours: 8 }
const DECISION = {
  plan: { by: 'loopback' },
  remember: REMEMBER,
  code: CODE,
  hasVouched: false,
  isSecond: false,
  isLured: false,
}
const SIGNED = { touch: 'passkey' }
const VOUCH = { may_vouch: true }
const TASK = { also: [] }

const card = (
  change: { context?: object; offer?: object; decision?: object; place?: object; title?: string } = {},
  state: State = {},
) => {
  const { context = {}, offer = {}, decision = {}, place = {}, title = 'Approve this request?' } = change
  const all = { ...OFFER, ...offer }
  return wordsOf(
    of(Asked, {
      asking: asked(context),
      place: { ...PLACE, ...place },
      offer: all,
      decision: { ...DECISION, ...decision },
      title,
      action: all.action,
      reasons: { production: [], dangers: {}, ...('reasons' in all ? (all.reasons as object) : {}) },
    }),
    state,
  )
}
const confirm = (change: { context?: object; offer?: object; more?: object } = {}) =>
  wordsOf(
    of(Confirmation, {
      asking: asked(change.context),
      offer: { ...OFFER, ...change.offer },
      guard: { buttons: { current: null }, active: true, fill: null, counts: () => true },
      isLured: true,
      isSecond: false,
      remember: REMEMBER,
      send: nothing,
      cancel: nothing,
      ...change.more,
    }),
  )
const label = (change: { context?: object; offer?: object; decision?: object } = {}, isProduction = false) =>
  labelOf(
    {
      asking: asked(change.context),
      offer: { ...OFFER, ...change.offer },
      decision: { ...DECISION, ...change.decision },
    } as never,
    isProduction,
  )

const ITEM = { key: 'PORT', due: null, required: false, description: null, is_secret: true }
const TOKEN = { ...ITEM, key: 'TOKEN', required: true }
const chosen = (items: readonly object[], templateKeys: readonly string[], ...names: string[]) => ({
  bundle: { id: 'b1', name: 'dev/app', items, last_approved_at: null },
  items,
  templateKeys,
  selected: new Set(names),
  onSelect: nothing,
})
const keys = (items: readonly object[], templateKeys: readonly string[], state: State = {}) =>
  wordsOf(of(KeyList, chosen(items, templateKeys, 'PORT')), state)
const over = (change: object = {}, more: object = {}) =>
  wordsOf(
    of(HandOver, {
      request: asked({}, more).request,
      place: PLACE,
      loaded: { phase: 'ready', value: {}, problem: null, reload: nothing },
      selection: chosen([ITEM], [], 'PORT'),
      typing: null,
      rules: null,
      asked: { problem: null, reload: nothing },
      ...change,
    }),
  )
const EMPTY = { ...PLACE, bundles: { ...PLACE.bundles, value: [] } }
const waiting = (phase: string) => ({ phase, value: null, problem: null, reload: nothing })
const TYPING = {
  names: [
    { name: 'PORT', known: true },
    { name: 'HOST', known: false },
  ],
  keep: 'store',
  host: 'ci',
  bundle: { id: 'b1', name: 'dev/app' },
  values: new Map(),
  onChange: nothing,
  onStore: nothing,
}
const typed = (value: string, change: object = {}) =>
  wordsOf(
    of(TypedValues, {
      ...TYPING,
      values: new Map(
        ['PORT', 'HOST'].map((name) => [name, { name, value, is_secret: true, propose: false }]),
      ),
      ...change,
    }),
  )
/** A person presses these buttons, and types no letter yet. */
const typing = (name: string, ...pressed: readonly string[]) =>
  wordsOf(
    of(TypedValues, { ...TYPING, keep: 'propose', names: TYPING.names.filter((each) => each.name === name) }),
    { acts: { TypedRow: pressed.map((button) => ['onClick', button] as const) } },
  )
const doubts = (list: readonly unknown[]) =>
  [list.length, wordsOf(createElement(Fragment, {}, ...(list as never[])))].join(' ')

const STEP = {
  name: 'PORT',
  key_name: 'PORT',
  action: 'create',
  key_id: null,
  is_secret: true,
  shared_with: [],
  shared_total: 0,
  choices: [],
}
const PLAN = {
  plan: [STEP],
  bundle: 'dev/app',
  bundle_id: 'b1',
  plan_id: 'p1',
  production: [],
  changes: [],
  stricter: [],
}
const PROPOSAL = { error: 'Owners store', owners: ['kim', 'lee'], values: { HOST: 'a' } }
const DEPOSIT = {
  entries: [{ name: 'PORT' }, { name: 'HOST', is_secret: false }],
  detach: ['OLD'],
}
const plan = (change: object, deposit: object | null = null, readable: readonly string[] = []) =>
  wordsOf(
    of(DepositList, {
      plan: { ...PLAN, ...change },
      deposit,
      readable,
      onReadable: nothing,
      onChoose: nothing,
    }),
  )
const steps = (...names: string[]) => names.map((name) => ({ ...STEP, name }))
const notices = (change: object, isReplanned = false) =>
  wordsOf(of(DepositNotices, { plan: { ...PLAN, ...change }, isReplanned, requestId: 'r1' }))
const choice = (context: object, place: object = {}) =>
  wordsOf(of(BundleChoice, { place: { ...PLACE, ...place }, context: { ...CONTEXT, ...context } }))
const remember = (offered: object, change: object = {}) =>
  wordsOf(
    of(RememberChoice, {
      ...REMEMBER,
      offered: { ...OFFERED, ...offered },
      context: { ...CONTEXT, requester_meta: { ...META, user: 'kim', hostname: 'mac' } },
      count: 1,
      isAgent: false,
      by: 'loopback',
      ...change,
    }),
  )
const heading = (context: object) => wordsOf(of(RequestHeading, { context: { ...CONTEXT, ...context } }))
const pull = (...flags: string[]) => heading({ flags, requester_meta: { ...META, via: 'pull' } })
const from = (context: object, meta: object = {}) =>
  wordsOf(of(RequestPlace, { context: { ...CONTEXT, ...context, requester_meta: { ...META, ...meta } } }))
const check = (change: object = {}) =>
  wordsOf(of(CheckCode, { code: 'WDJB-MJHT', isSecond: false, nextStep: null, ...CODE, ...change }))
const field = (change: object) => ({ field: { ...CODE.field, ...change } })
const bar = (change: object = {}, decision: object = {}, expires = '2026-06-01T12:05:00.000Z') =>
  wordsOf(
    of(DecisionBar, {
      asking: asked({ expires_at: expires }),
      workspace: 'Acme',
      label: 'Approve',
      Icon: null,
      isProduction: false,
      dangers: [],
      isNothing: false,
      isChosen: true,
      decision: {
        ...DECISION,
        problem: null,
        choice: 'c',
        busy: null,
        approve: nothing,
        deny: nothing,
        ...decision,
      },
      question: null,
      ...change,
    }),
  )

const reasons = (
  context: object,
  { candidates, ...looked }: { candidates?: object[]; [name: string]: unknown } = {},
) => {
  const asking = asked(context)
  const found = reasonsOf({
    asking: { ...asking, request: { ...asking.request, ...(candidates && { candidates }) } },
    place: PLACE,
    offer: { bundle: OFFER.bundle },
    plan: { by: 'loopback' },
    isUnbound: false,
    hasVouched: false,
    isLured: false,
    isSecond: false,
    leaveOut: null,
    ...looked,
  } as never)
  return [
    wordsOf(of(ReasonRibbons, found)),
    wordsOf(of(ReasonFacts, found)),
    dangerNames(found).join(', '),
  ].join('\n')
}

const named = (vouch: object | undefined) =>
  vouchedOnly({ items: [ITEM, TOKEN], vouch } as never).items.map(({ key }) => key)

test('after a vouch that counts, an approval is of what its person chose', () => {
  expect(named({ counts: true, keys: ['TOKEN'] })).toEqual(['TOKEN'])
  expect(named({ counts: false, keys: ['TOKEN'] })).toEqual(['PORT', 'TOKEN'])
  expect(named(undefined)).toEqual(['PORT', 'TOKEN'])
})

test('approval pages show the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'a request': card(),
    'a request for names': card({ context: { kind: 'names' }, title: 'List these names?' }),
    'a request with another title': card({ title: 'Ask for this approval?', offer: { rules: VOUCH } }),
    'a request in production': card({
      offer: {
        action: { ...ACTION, name: 'prod/app' },
        reasons: { production: ['prod/app'], agent: 'claude' },
      },
    }),
    'a request in two of production': card({
      offer: {
        reasons: {
          production: ['prod/a', 'prod/b'],
          dangers: { link: 'A link', agent: 'It reads' },
          cautions: { reason: 'No reason', agent: false },
        },
      },
    }),
    'a request to sign': card({ offer: { rules: SIGNED } }),
    'a request to sign for names': card({ context: { kind: 'names' }, offer: { rules: SIGNED } }),
    'a request that returns by a code': card({ decision: { plan: { by: 'code' } } }),
    'a request of a terminal that a person vouched for': card({
      decision: { plan: { by: 'code' }, hasVouched: true },
    }),
    'a request that stopped': card({
      context: { left_at: '2026-06-01T11:58:00.000Z' },
      decision: { plan: { by: 'later' } },
    }),
    'a request with nothing to approve': card({ offer: { action: null } }),
    'a request for a task': card({
      decision: { remember: { ...REMEMBER, task: TASK, offered: { ...OFFERED, task: TASK } } },
    }),
    'a request that is remembered': card({ decision: { remember: HOURS } }),
    'a request of an agent that is remembered': card({ context: agent, decision: { remember: HOURS } }),
    'a request with a choice': card({ offer: { choice: 'The bundles' } }),
    'another place': card({ offer: { choice: 'The bundles' } }, { acts: { Asked: [['onClick', 'button']] } }),
    'no workspace chosen': card({
      offer: { action: null, choice: 'The bundles' },
      place: {
        workspaceId: null,
        offered: [
          { id: 'w1', name: 'Acme' },
          { id: 'w2', name: 'Shop' },
        ],
      },
    }),
    'a question': confirm(),
    'a question about an agent': confirm({ context: agent }),
    'a question about names': confirm({ context: { kind: 'names' } }),
    'a question about a vouch': confirm({ offer: { rules: VOUCH } }),
    'a question about another bundle': confirm({
      offer: { bundle: { id: 'b2', name: 'prod/app' } },
      more: { isLured: false },
    }),
    'a question about a rule of a bundle': confirm({
      more: { isLured: false, remember: { ...REMEMBER, task: { also: [], rule: { folder: null } } } },
    }),
    'a question about a rule of a folder': confirm({
      more: { isLured: false, remember: { ...REMEMBER, task: { also: [], rule: { folder: 'dev/' } } } },
    }),
    labels: [
      label(),
      label({}, true),
      label({ decision: { isLured: true } }),
      label({ decision: { isLured: true }, offer: { rules: VOUCH } }),
      label({ offer: { rules: SIGNED } }),
      label({ offer: { rules: { touch: 'none' } } }),
      label({ decision: { plan: { by: 'later' } } }),
      label({ offer: { action: { ...ACTION, label: 'List 2 names' } } }),
      label({ offer: { action: null } }),
      label({ decision: { remember: { ...REMEMBER, task: TASK } } }),
      label({ decision: { remember: { ...REMEMBER, task: TASK }, plan: { by: 'code' } } }),
      label({ context: agent }),
      label({ decision: { plan: { by: 'code' } } }),
      label({ decision: { plan: { by: 'code' }, hasVouched: true } }),
      label({ decision: { plan: { by: 'code' }, isSecond: true } }),
      label({ decision: { plan: { by: 'code' }, code: field({ typed: '' }) } }),
    ].join('\n'),
    variables: over(),
    'no variables': over({ selection: chosen([], []) }),
    'no variables, one to type': over({ selection: chosen([], []), typing: TYPING }),
    'before a bundle is chosen': over({ loaded: waiting('none') }),
    'the rules do not load': over({
      asked: { problem: { status: 503, message: 'Unavailable.' }, reload: nothing },
    }),
    'the first of two people': over({ rules: { approvals_needed: 2 } }),
    'the second of two people': over({
      rules: { approvals_needed: 2, first_approval: { person: { name: 'lee' }, keys: [] } },
    }),
    'the second, after a former member': over({
      rules: { first_approval: { person: { name: null }, keys: [] } },
    }),
    'the first again': over({
      rules: { first_approval: { person: { name: 'lee' } }, why_not: { code: 'second_person' } },
    }),
    'no bundles': over({ place: EMPTY }),
    'no bundles, from a terminal': over({ place: EMPTY }, { signsIn: false }),
    'no bundles in one of two workspaces': over(
      { place: EMPTY },
      { signsIn: false, workspaces: [{ id: 'w1' }, { id: 'w2' }] },
    ),
    'doubts of a delivery': doubts(deliveryDoubts(chosen([ITEM, TOKEN], ['HOST'], 'PORT') as never)),
    'doubts of a delivery of two': doubts(
      deliveryDoubts(chosen([ITEM, TOKEN, { ...TOKEN, key: 'SECRET' }], [], 'PORT') as never),
    ),
    'no doubts of a delivery': doubts(deliveryDoubts(chosen([ITEM], [], 'PORT') as never)),
    'doubts of a deposit': doubts(
      depositDoubts({
        ...PLAN,
        changes: ['dev/api'],
        production: ['prod/app'],
        plan: [{ ...STEP, action: 'detach' }],
      } as never),
    ),
    'doubts of a deposit for two': doubts(
      depositDoubts({ ...PLAN, changes: ['dev/a', 'dev/b'], plan: [{ ...STEP, action: 'detach' }] } as never),
    ),
    'no doubts of a deposit': doubts(depositDoubts(PLAN as never)),
    'a list to choose from': keys(
      [
        ITEM,
        { ...TOKEN, is_secret: false, version: 3, changed_at: '2026-05-01T12:00:00.000Z', changed_by: 'lee' },
      ],
      [],
    ),
    'a list of what changed': keys(
      [
        ITEM,
        { ...TOKEN, version: 3, changed: true, changed_at: '2026-05-01T12:00:00.000Z', changed_by: null },
      ],
      [],
    ),
    'a list of what changed today': keys(
      [ITEM, { ...TOKEN, version: 3, changed_at: '2026-05-31T12:00:00.000Z', changed_by: 'lee' }],
      [],
    ),
    'a list of what changed yesterday': keys(
      [ITEM, { ...TOKEN, version: 3, changed_at: '2026-05-31T11:59:59.000Z', changed_by: 'lee' }],
      [],
    ),
    'a list with templates': keys(
      [
        { ...ITEM, built_from: ['HOST', 'USER'] },
        { ...TOKEN, built_from: ['HOST'], missing_parts: ['HOST'] },
        { ...ITEM, key: 'OLD', due: 'expired' },
      ],
      [],
    ),
    'a long list': keys(
      Array.from({ length: 12 }, (_, at) => ({ ...ITEM, key: `K${at}` })),
      [],
    ),
    'a list that is not long': keys(
      Array.from({ length: 11 }, (_, at) => ({ ...ITEM, key: `K${at}` })),
      [],
    ),
    'a filter without result': keys(
      Array.from({ length: 12 }, (_, at) => ({ ...ITEM, key: `K${at}` })),
      [],
      {
        acts: { KeyList: [['onChange', 'Filter variables', { currentTarget: { value: 'none' } }]] },
      },
    ),
    'all that can be built is selected': handedTo(
      'onSelect',
      [KeyList, chosen([ITEM, { ...TOKEN, built_from: ['HOST'], missing_parts: ['HOST'] }], [])],
      { acts: { AllKeys: [['onClick', 'Select all']] } },
    ),
    'what was not requested is deselected': handedTo(
      'onSelect',
      [
        KeyNotes,
        {
          ...chosen([ITEM, TOKEN, { ...ITEM, key: 'HOST' }], ['PORT', 'HOST'], 'PORT', 'TOKEN'),
          typeable: [],
        },
      ],
      { acts: { KeyNotes: [['onClick', 'Deselect it']] } },
    ),
    'a name that the bundle lacks and the person can type, and one that cannot be built': over({
      selection: chosen(
        [ITEM, { ...TOKEN, missing_parts: ['USER'] }],
        ['PORT', 'HOST', 'TOKEN', 'GONE'],
        'PORT',
      ),
      typing: TYPING,
    }),
    'a variable that was not requested': keys([ITEM, TOKEN], ['PORT']),
    'two variables that were not requested': keys([ITEM, TOKEN, { ...ITEM, key: 'HOST' }], ['PORT'], {
      acts: { OtherKeys: [['onToggle', undefined, { currentTarget: { open: true } }]] },
    }),
    'values to type': wordsOf(of(TypedValues, TYPING)),
    'type a value that is known': wordsOf(of(TypedValues, { ...TYPING, names: TYPING.names.slice(0, 1) }), {
      acts: { TypedRow: [['onClick']] },
    }),
    'type a value that is not known': wordsOf(of(TypedValues, { ...TYPING, names: TYPING.names.slice(1) }), {
      acts: { TypedRow: [['onClick']] },
    }),
    'typed values': typed('a'),
    'typed values, empty': typed(''),
    'typed values to propose': typed('a', { keep: 'propose' }),
    'typed values of another kind': typed('a', { keep: null }),
    'a value that the person begins to type': typing('PORT', 'Type its value'),
    'a value that no other environment has': typing('HOST', 'Type its value'),
    'a value that no other environment has, typed anyway': typing('HOST', 'Type its value', 'Type it anyway'),
    'a plan': plan({
      plan: [
        { ...STEP, action: 'detach' },
        { ...STEP, name: 'HOST', choices: ['own', 'share'] },
      ],
    }),
    'a plan of what others changed': plan({
      plan: ['lee', null].map((by) => ({
        ...STEP,
        name: by ?? 'HOST',
        action: 'update',
        changed: { by, at: '2026-05-31T12:00:00.000Z' },
      })),
    }),
    'a plan with many secrets': plan({ plan: steps('A', 'B', 'C', 'D', 'E') }),
    'a plan with one more secret': plan({ plan: steps('A', 'B', 'C', 'D') }),
    'a plan with three secrets': plan({ plan: steps('A', 'B', 'C') }),
    'a plan with five changes': plan({
      plan: steps('A', 'B', 'C', 'D', 'E').map((step) => ({ ...step, action: 'update' })),
    }),
    'a plan of two bundles': plan({
      also: [{ bundle: 'dev/new', bundle_id: null, plan: [{ ...STEP, choices: ['own'] }] }],
    }),
    'a change request': plan({ proposal: PROPOSAL }, DEPOSIT, ['PORT']),
    'a change request, of which the owners read one no longer': handedTo(
      'onReadable',
      [DepositList, { plan: { ...PLAN, proposal: PROPOSAL }, deposit: DEPOSIT, readable: ['HOST', 'PORT'] }],
      { acts: { ProposedList: [['onChange', 'Checkbox', false]] } },
    ),
    'no notices': notices({}),
    'a new plan': notices({ stricter: ['PORT'], plan: [{ ...STEP, crosses: true }] }, true),
    'a notice of a change request': notices({ proposal: PROPOSAL }),
    'no names': wordsOf(of(OfferedNames, { names: [] })),
    names: wordsOf(
      of(OfferedNames, {
        names: [
          { name: 'PORT', is_secret: false, required: true },
          { name: 'TOKEN', is_secret: true, required: false },
        ],
      }),
    ),
    'before a workspace is chosen': choice({}, { bundles: waiting('none') }),
    'while bundles load': choice({}, { bundles: waiting('loading') }),
    'any bundle': choice({ suggested_bundle_id: null }),
    'no other bundle': choice({ suggested_bundle_id: 'dev/app', requester_meta: { ...META, via: 'run' } }),
    'a bundle that is spelled alike': choice(
      { suggested_bundle_id: 'dev/apps', requester_meta: { ...META, via: 'run' } },
      { bundleId: null },
    ),
    'a bundle to pull': choice(
      { suggested_bundle_id: 'dev/apps', requester_meta: { ...META, via: 'pull' }, flags: [] },
      { bundleId: null },
    ),
    'nothing to remember': remember({}),
    'one hour': remember({ hours: 1 }),
    'eight hours': remember({ hours: 8 }, { hours: 8, isAgent: true }),
    'in all working trees': remember({ hours: 8, repository: '/shop' }, { hours: 8 }),
    'in all working trees, chosen': remember({ hours: 8, repository: '/shop' }, { hours: 8, isForAll: true }),
    'a task': remember({ task: TASK }, { task: TASK }),
    'a task with two values, by a code': remember({ task: TASK }, { task: TASK, count: 2, by: 'code' }),
    'a task that is not allowed yet': remember({ hours: 2, task: { ...TASK, rule: { folder: null } } }),
    'a task in a folder that is not allowed yet': remember({ task: { ...TASK, rule: { folder: 'dev/' } } }),
    'a task with commands': remember(
      {},
      {
        offered: { ...OFFERED, task: TASK },
        task: { also: [{ request_id: 'r2', argv: ['npm', 'run dev'] }] },
        context: CONTEXT,
      },
    ),
    'a command': heading({}),
    'a command with masks': heading({ argv: ['curl', '-H', '***', 'a***'], is_argv_masked: true }),
    'a command with one mask': heading({ argv: ['curl', '***'], is_argv_masked: true }),
    'an unknown command': heading({ argv: null }),
    'a command as its client says': heading({
      argv: null,
      requester_meta: { ...META, command: 'npm start' },
    }),
    edit: pull('edit', 'dev/app'),
    print: pull('pull', 'dev/app'),
    'print, said': pull('pull', 'dev/app', '--output=-'),
    write: pull('pull', 'dev/app', '--output=.env'),
    'no folder': from({ same_network: false }),
    'a folder in the home folder': from({ cwd: '/home/kim/shop' }, { user: 'kim', hostname: 'mac' }),
    'a folder as its client says': from({}, { cwd: '/srv/old' }),
    'a folder outside the home folder': from(
      { cwd: '/srv/shop', flags: ['--as', 'x'], workspace: 'Acme' },
      { user: 'kim', os: 'linux', client_version: '1.0', user_agent: '' },
    ),
    'a host alone': from({}, { hostname: 'mac' }),
    'no reason': reasons({}),
    'another bundle': reasons({}, { offer: { bundle: { id: 'b2', name: 'prod/app' } } }),
    'another bundle, for its names': reasons(
      { kind: 'names' },
      { offer: { bundle: { id: 'b2', name: 'prod/app' } } },
    ),
    'another network': reasons({ same_network: false }),
    'a network that cannot be compared': reasons({ same_network: null }),
    'another network, of a vouched terminal': reasons({ same_network: false }, { hasVouched: true }),
    refused: reasons(
      {},
      { plan: { by: 'refused', reason: 'Owners decide.' }, leaveOut: { count: 1, act: nothing } },
    ),
    'refused, two to leave out': reasons(
      {},
      { plan: { by: 'refused', reason: 'No.' }, leaveOut: { count: 2, act: nothing } },
    ),
    'a request from a link': reasons({}, { isLured: true }),
    'a request of an agent from a link': reasons(agent, { isLured: true }),
    'a client that takes nothing back': reasons({}, { isUnbound: true, plan: { by: 'none' } }),
    'a client of another person that takes nothing back': reasons(
      {},
      { isUnbound: true, plan: { by: 'none' }, isSecond: true },
    ),
    'a client whose person vouched': reasons({}, { isUnbound: true, plan: { by: 'none' }, hasVouched: true }),
    'an agent': reasons(agent),
    'an agent with a reason': reasons({ requester_meta: { ...META, agent: 'claude', reason: 'to test' } }),
    'an agent that pulls': reasons({ requester_meta: { ...META, agent: 'claude', via: 'pull' } }),
    'an agent that stores': reasons({ ...agent, kind: 'deposit' }),
    'no command': reasons({ argv: null }),
    'a command that shows values': reasons({ argv: ['env'] }),
    'a command that shows values, pulled': reasons({
      argv: ['env'],
      requester_meta: { ...META, via: 'pull' },
    }),
    'another workspace': reasons({ workspace: 'Shop' }),
    'a missing bundle': reasons({}, { offer: { bundle: null }, candidates: [] }),
    'a missing bundle of a workspace': reasons(
      { workspace: 'Acme' },
      { offer: { bundle: null }, candidates: [] },
    ),
    'a new bundle to store': reasons({ kind: 'deposit' }, { offer: { bundle: null }, candidates: [] }),
    'production and dangers': reasons(
      {},
      { offer: { bundle: null, production: ['prod/app'], dangers: { removed: 'Gone' } } },
    ),
    'the code': check({ nextStep: 'Then you type a code.' }),
    'the code of another person': check({ isSecond: true }),
    'type the code': check(field({ typed: '' })),
    'type the code of another person': check({
      isSecond: true,
      ...field({ typed: 'WDJB', problem: 'That is not it.' }),
    }),
    decide: bar(),
    'decide for production': bar({ isProduction: true, workspace: null }),
    'decide about a request from a link': bar({}, { isLured: true }),
    'decide, nothing chosen': bar({ isChosen: false }, { problem: 'Choose a bundle first.' }),
    'only deny': bar({ isNothing: true }),
    denying: bar({}, { busy: 'deny' }),
    approving: bar({}, { busy: 'approve' }),
    'a minute left': bar({}, {}, '2026-06-01T12:01:00.000Z'),
    'less than a minute left': bar({}, {}, '2026-06-01T12:00:59.000Z'),
    'half a minute left': bar({}, {}, '2026-06-01T12:00:30.000Z'),
    'ten seconds left': bar({}, {}, '2026-06-01T12:00:10.000Z'),
  })
})
