import { GITHUB_ISSUER, GITLAB_ISSUER } from '@keyferry/contract/machines/trusts'
import { test } from 'vitest'
import { expectWords, FORBIDDEN, of, onPage, refusal, type State, wordsOf } from '../../test/static-words.ts'
import { BundleMachines } from './bundle-machines.tsx'
import { GrantedBundles } from './granted-bundles.tsx'
import { Attempt } from './identities/attempt.tsx'
import { Identities } from './identities/identities.tsx'
import { JobFile } from './job-file.tsx'
import { MachineOverview } from './machine-overview.tsx'
import { MachinePage } from './machine-page.tsx'
import { MachinesPage } from './machines-page.tsx'
import { Tokens } from './tokens/tokens.tsx'

onPage()

const BEFORE = '2026-05-01T12:00:00.000Z'
const LATER = '2026-08-01T12:00:00.000Z'
const TOKEN = {
  id: 't1',
  hint: 'abcd',
  networks: [],
  created_at: BEFORE,
  expires_at: LATER,
  due: null,
  ended_at: null,
  last_used_at: null,
  last_used_ip: null,
}
const TRUST = {
  id: 'i1',
  issuer: GITHUB_ISSUER,
  audience: 'https://keyferry.example',
  claims: { repository_id: ['1'], ref: ['refs/heads/main', 'refs/heads/next'] },
  binding: 'required',
  networks: [],
  max_age_seconds: null,
  is_broad: false,
  has_keys: false,
  created_at: BEFORE,
  last_used_at: null,
}
const grant = (name: string, scope = 'deliver') => ({ bundle: { id: name, name }, scope, created_at: BEFORE })
const MACHINE = {
  id: 'm1',
  name: 'ci-deploy',
  description: '',
  is_active: true,
  audit: false,
  created_at: BEFORE,
  last_delivery_at: '2026-05-31T12:00:00.000Z',
  grants: [grant('prod/api')],
  tokens: [TOKEN],
  trusts: [],
  attempts: 0,
}
const BUSY = {
  ...MACHINE,
  id: 'm2',
  name: 'ci-all',
  description: 'deploys',
  audit: true,
  is_active: false,
  last_delivery_at: null,
  grants: [
    ...['prod/api', 'prod/app', 'dev/app', 'dev/api'].map((name) => grant(name)),
    grant('staging/app', 'read'),
  ],
  tokens: [],
  trusts: [{ ...TRUST, is_broad: true }],
  attempts: 2,
}
const ATTEMPT = {
  fingerprint: 'f1',
  issuer: GITHUB_ISSUER,
  claims: { repository: 'acme/web', repository_id: '7', environment: 'prod', event_name: 'push' },
  suggested: ['repository_id', 'environment'],
  last_at: '2026-06-01T11:00:00.000Z',
  times: 1,
  reason: 'no_trust',
  is_bound: false,
}
const OPERATIONS = [
  'createMachine',
  'updateMachine',
  'listAudit',
  'grantBundle',
  'createMachineToken',
  'rotateMachineToken',
  'createMachineTrust',
  'endMachineTrust',
  'listMachineAttempts',
  'allowMachineAttempt',
]
const me = (...may: string[]) => ['getMe', {}, { may }] as const
const OWNER = me(...OPERATIONS)
const MEMBER = me()
const BUNDLES = ['prod/api', 'dev/new'].map((name) => ({ id: name, name, description: '' }))
const STRICTER = [
  ['listBundles', {}, BUNDLES],
  ['getBundlePolicy', { bundle_id: 'dev/new' }, { stricter: ['TOKEN'] }],
  ['getBundlePolicy', { bundle_id: 'prod/api' }, FORBIDDEN],
] as const

const list = (machines: readonly object[], { answered = [], ...state }: State = {}) =>
  wordsOf(of(MachinesPage), {
    ...state,
    answered: [
      OWNER,
      ['listMachines', { limit: 1_000 }, machines],
      ['listUse', { by: 'machine' }, [{ id: 'm1', days: [0, 1, 2] }]],
      ...answered,
    ],
  })

const uses = (machines: readonly object[], who: readonly [string, object, object] = OWNER) =>
  wordsOf(of(BundleMachines, { bundleId: 'prod/api' }), {
    answered: [who as typeof OWNER, ['listMachines', { limit: 1_000 }, machines]],
  })

test('the list of machines shows the recorded text', async () => {
  const refused = (attempt: object, state: State = {}) =>
    list([BUSY], { ...state, answered: [['listMachineAttempts', { machine_id: 'm2' }, [attempt]]] })
  await expectWords(import.meta.filename.replace('machines.test', 'machine-list.test'), {
    'no machine, for an owner': list([]),
    'no machine, for a member': list([], { answered: [MEMBER] }),
    'a way in': list([], { acts: { WayIn: [['onClick', 'GitHub Actions']] } }),
    machines: list([MACHINE, BUSY]),
    'machines, for a member': list([MACHINE, BUSY], { answered: [MEMBER] }),
    'a search': list([MACHINE, BUSY], { at: '/machines?query=DEPLOYS' }),
    'a search without result': list([MACHINE], { at: '/machines?query=none' }),
    'new, with a token': list([], { at: '/machines?new=token' }),
    'new, without a name': list([], { at: '/machines?new=github', acts: { NewMachineDialog: [['input']] } }),
    'new, with a wrong name': list([], {
      at: '/machines?new=github',
      acts: { NewMachineDialog: [['onChange', undefined, { name: 'ci ü' }], ['input']] },
    }),
    'new, with a name': list([], {
      at: '/machines?new=github',
      acts: {
        NewMachineDialog: [
          ['onChange', undefined, { name: 'ci/deploy' }],
          ['onChange', 'How it authenticates', 'gitlab'],
        ],
        DialogForm: [['onSubmit']],
      },
      changes: { NewMachineDialog: [{ made: { id: 'm9' } }] },
    }),
    'new, closed': list([], { at: '/machines?new=github', acts: { MachinesPage: [['onClose']] } }),
    'a refused call': refused(ATTEMPT),
    'a refused call behind machines without one': list(
      [...[3, 4, 5].map((id) => ({ ...MACHINE, id: `m${id}`, attempts: 0 })), BUSY],
      { answered: [['listMachineAttempts', { machine_id: 'm2' }, [ATTEMPT]]] },
    ),
    'the only refused call': list([{ ...BUSY, attempts: 1 }], {
      answered: [['listMachineAttempts', { machine_id: 'm2' }, [ATTEMPT]]],
    }),
    'a refused call is allowed': refused(ATTEMPT, {
      acts: { RefusedMachine: [['onClick', 'Allow']] },
      changes: { RefusedMachine: [{ made: {} }] },
    }),
    'a refused call is not allowed': refused(ATTEMPT, {
      acts: { RefusedMachine: [['onClick', 'Allow']] },
      changes: { RefusedMachine: [{ made: FORBIDDEN }] },
    }),
    'a refused call that is dangerous': refused({ ...ATTEMPT, suggested: ['repository_id'] }),
    'a refused call without a suggestion': refused({ ...ATTEMPT, suggested: [] }),
    'a bundle without machines, for an owner': uses([]),
    'a bundle without machines, for a member': uses([{ ...MACHINE, grants: [] }], MEMBER),
    'the machines of a bundle': uses([
      MACHINE,
      { ...BUSY, grants: [grant('prod/api', 'read')] },
      { ...MACHINE, id: 'm3', tokens: [{ ...TOKEN, ended_at: BEFORE }] },
    ]),
  })
})

const page = (machine: object, { answered = [], ...state }: State = {}, view?: string) =>
  wordsOf(of(MachinePage, { id: 'm1', view }), {
    ...state,
    answered: [
      OWNER,
      ['getMachine', { machine_id: 'm1' }, machine],
      ['listMachineAttempts', { machine_id: 'm1' }, []],
      ...answered,
    ],
  })

const holdings = (known: readonly object[]) =>
  ['listMachineHoldings', { machine_id: 'm1', limit: 1_000 }, known] as const

test('the page of a machine shows the recorded text', async () => {
  const given = {
    key: { id: 'k1', name: 'PORT', version: 1, bundles: [], is_secret: true },
    version: 1,
    perhaps_version: null,
  }
  const deleting = (state: State) =>
    page(MACHINE, { ...state, acts: { MachineHeading: [['onClick', 'Delete']], ...state.acts } })
  const editing = (state: State = {}) =>
    page(MACHINE, { ...state, acts: { MachineHeading: [['onClick', 'Edit']], ...state.acts } })
  const removed = {
    acts: { ConfirmDialog: [['onClick', 'Delete machine']] },
    changes: { DeleteMachineDialog: [{ made: {} }] },
  } as const
  await expectWords(import.meta.filename.replace('machines.test', 'one-machine.test'), {
    'no such machine': page(refusal(404, 'not_found', 'machine not found')),
    'a machine': page(MACHINE),
    'a machine, for a member': page(MACHINE, { answered: [MEMBER] }),
    'a machine that is disabled': page({ ...BUSY, id: 'm1' }),
    'a machine that cannot fetch': page({
      ...MACHINE,
      grants: [],
      tokens: [{ ...TOKEN, due: 'expired', expires_at: BEFORE }],
    }),
    'its activity': page(MACHINE, { at: '/?show=changes' }, 'activity'),
    'what it did': page(MACHINE, {}, 'activity'),
    'its activity, for a member': page(MACHINE, { answered: [MEMBER] }, 'activity'),
    'disable it': page(MACHINE, {
      acts: { Switch: [['onClick', 'Disable']] },
      changes: { Switch: [{ made: {} }] },
    }),
    'disable it, refused': page(MACHINE, {
      acts: { Switch: [['onClick', 'Disable']] },
      changes: { Switch: [{ made: FORBIDDEN }] },
    }),
    'enable it': page(
      { ...MACHINE, is_active: false },
      {
        acts: { Switch: [['onClick', 'Enable']] },
        changes: { Switch: [{ made: {} }] },
      },
    ),
    'enable it, refused': page(
      { ...MACHINE, is_active: false },
      {
        acts: { Switch: [['onClick', 'Enable']] },
        changes: { Switch: [{ made: FORBIDDEN }] },
      },
    ),
    'edit it': editing(),
    'edit it, nothing changed': editing({ acts: { DialogForm: [['onSubmit']] } }),
    'edit it, save': editing({
      acts: {
        EditMachineDialog: [['onChange', 'May read the audit log', true]],
        DialogForm: [['onSubmit']],
      },
      changes: { EditMachineDialog: [{ made: MACHINE }] },
    }),
    'delete it, before its values are known': deleting({}),
    'delete it, nothing received': deleting({ answered: [holdings([])], ...removed }),
    'delete it, one received': deleting({ answered: [holdings([given])] }),
    'delete it, two received': deleting({
      answered: [holdings([given, { ...given, key: { ...given.key, id: 'k2' } }])],
    }),
    'deleted, one received': deleting({
      answered: [holdings([given])],
      acts: { DeleteMachineDialog: [['onDone']] },
    }),
    'deleted, its values are not known': deleting({ acts: { DeleteMachineDialog: [['onDone']] } }),
    ...tokens(),
    ...identities(),
    ...bundles(),
  })
})

const tokenRows = (some: readonly object[], state: State = {}) =>
  wordsOf(of(Tokens, { machine: { ...MACHINE, tokens: some } }), { answered: [OWNER], ...state })

function tokens() {
  const asked = (what: string, state: State = {}) =>
    tokenRows([TOKEN], {
      ...state,
      acts: { TokenRow: [['onClick', `${what} the token abcd`]], ...state.acts },
    })
  const adding = (state: State = {}) => tokenRows([], { at: '/?add=token', ...state })
  const days = (text: string) =>
    adding({ acts: { NewTokenForm: [['onChange', 'Expires after days', text]], DialogForm: [['onSubmit']] } })
  const created = { token: 'kfm_x', expires_at: LATER }
  return {
    'no tokens': tokenRows([], { answered: [MEMBER] }),
    'tokens of each kind': tokenRows([
      TOKEN,
      { ...TOKEN, id: 't2', due: 'expiring', last_used_at: BEFORE, networks: ['10.0.0.0/8', '::1'] },
      {
        ...TOKEN,
        id: 't3',
        due: 'expired',
        expires_at: BEFORE,
        last_used_at: BEFORE,
        last_used_ip: '10.0.0.1',
      },
      { ...TOKEN, id: 't4', ended_at: BEFORE },
    ]),
    'tokens, for a member': tokenRows([TOKEN], { answered: [MEMBER], at: '/?add=token' }),
    'add a token': tokenRows([], { acts: { Tokens: [['onClick', 'Create token']] } }),
    'add no token after all': adding({ acts: { Tokens: [['onClose']] } }),
    'a token for no days': days('0'),
    'a token for one day': days('1'),
    'a token for a year': days('366'),
    'a token for half a day': days('1.5'),
    'a token for the default': adding({ acts: { DialogForm: [['onSubmit']] } }),
    'a token, refused for its networks': adding({
      acts: { NewTokenForm: [['onChange', undefined, '10.0.0.0/8, x']] },
      changes: { NewTokenForm: [{ is: refusal(400, 'invalid', 'not a network: x', { field: 'networks' }) }] },
    }),
    'a token, refused': adding({ changes: { NewTokenForm: [{ is: FORBIDDEN }] } }),
    'a token was created': adding({ acts: { NewTokenDialog: [['onCreated', undefined, created]] } }),
    'rotate a token': asked('Rotate', { acts: { DialogForm: [['onSubmit']] } }),
    'rotate a token at once': asked('Rotate', {
      acts: { RotateTokenDialog: [['onChange', undefined, '0']], DialogForm: [['onSubmit']] },
    }),
    'a token was rotated': asked('Rotate', { acts: { RotateTokenDialog: [['onDone', undefined, created]] } }),
    'end a token': asked('End', {
      acts: { ConfirmDialog: [['onClick', 'End token']] },
      changes: { EndTokenDialog: [{ made: {} }] },
    }),
  }
}

function identities() {
  const rows = (trusts: readonly object[], state: State = {}) =>
    wordsOf(of(Identities, { machine: { ...MACHINE, trusts } }), { answered: [OWNER], ...state })
  const adding = (platform: string, state: State = {}) => rows([], { at: `/?add=${platform}`, ...state })
  const sent = { NewTrustDialog: [['input']] } as const
  const broad = refusal(400, 'trust_too_broad', 'too broad')
  const attempt = (change: object, state: State = {}, machine: object = MACHINE) =>
    wordsOf(of(Attempt, { machine, attempt: { ...ATTEMPT, ...change } }), { answered: [OWNER], ...state })
  const granted = (...names: string[]) => ({ ...MACHINE, grants: names.map((name) => grant(name)) })
  return {
    'no identities, for a member': rows([], { answered: [MEMBER] }),
    identities: rows([
      TRUST,
      {
        ...TRUST,
        id: 'i2',
        issuer: GITLAB_ISSUER,
        is_broad: true,
        has_keys: true,
        binding: 'possible',
        networks: ['10.0.0.0/8', '::1'],
        max_age_seconds: 600,
        last_used_at: BEFORE,
      },
    ]),
    'end an identity': rows([TRUST], {
      acts: { TrustRow: [['onClick']], ConfirmDialog: [['onClick', 'End identity']] },
      changes: { EndTrustDialog: [{ made: {} }] },
    }),
    'end no identity after all': rows([TRUST], { acts: { TrustRow: [['onClick'], ['onClose']] } }),
    'add an identity': rows([], { acts: { Identities: [['onClick', 'Add identity']] } }),
    'add no identity after all': adding('github', { acts: { Identities: [['onClose']] } }),
    'an identity of GitHub': adding('github', { acts: sent }),
    'an identity of GitLab': adding('gitlab', { acts: sent }),
    'an identity of a cluster': adding('kubernetes', { acts: sent }),
    'another identity': adding('other', { acts: sent }),
    'an identity that is complete': adding('github', {
      acts: {
        NewTrustDialog: [
          ['onChange', 'Platform', 'gitlab'],
          ['onChange', 'TrustFields', { projectId: '12', ref: 'main' }],
        ],
        DialogForm: [['onSubmit']],
      },
    }),
    'an identity with wrong limits': adding('other', {
      acts: {
        NewTrustDialog: [
          ['onChange', 'TrustLimits', { maxAge: '5', more: 'project', keys: '{}' }],
          ['input'],
        ],
      },
    }),
    'an identity that is too broad': adding('github', { changes: { NewTrustDialog: [{ is: broad }] } }),
    'an identity, refused': adding('github', { changes: { NewTrustDialog: [{ is: FORBIDDEN }] } }),
    'an identity, refused for its networks': adding('github', {
      changes: {
        NewTrustDialog: [{ is: refusal(400, 'invalid', 'no', { field: 'networks' }) }],
      },
    }),
    'a refused call': attempt({}),
    'a refused call, often, bound': attempt({ times: 3, is_bound: true }),
    'a refused call of a pull request': attempt({
      claims: { ...ATTEMPT.claims, event_name: 'pull_request', actor: 'kim', run_id: '1' },
    }),
    'a refused call without a choice': attempt({ suggested: [] }),
    'allow it': attempt({}, { acts: { Attempt: [['onAllow']] }, changes: { Attempt: [{ made: {} }] } }),
    'allow less of it': attempt(
      {},
      {
        acts: { Attempt: [['onChoose', undefined, new Set(['repository_id'])], ['onAllow']] },
      },
    ),
    'allow it, too broad': attempt({}, { changes: { Attempt: [{ is: broad }] } }),
    'allow it, refused': attempt({}, { changes: { Attempt: [{ is: FORBIDDEN }] } }),
    'dismiss it': attempt(
      {},
      {
        acts: { AttemptActions: [['onClick', 'Dismiss']] },
        changes: { AttemptActions: [{ made: {} }] },
      },
    ),
    'dismiss it, refused': attempt(
      {},
      {
        acts: { AttemptActions: [['onClick', 'Dismiss']] },
        changes: { AttemptActions: [{ made: FORBIDDEN }] },
      },
    ),
    'it gets no bundle': attempt({}, {}, granted()),
    'it gets two bundles': attempt({}, {}, granted('dev/a', 'dev/b')),
    'it gets four bundles': attempt({}, {}, granted('dev/a', 'dev/b', 'dev/c', 'dev/d')),
    'refused calls': wordsOf(of(MachineOverview, { machine: BUSY }), {
      answered: [OWNER, ['listMachineAttempts', { machine_id: 'm2' }, [ATTEMPT]]],
    }),
    'refused calls do not load': wordsOf(of(MachineOverview, { machine: MACHINE }), {
      answered: [OWNER, ['listMachineAttempts', { machine_id: 'm1' }, FORBIDDEN]],
    }),
  }
}

const job = (machine: object, state: State = {}) => wordsOf(of(JobFile, { machine }), state)
const beginning = (text: string) => text.split('\n').slice(0, 14).join('\n')

function bundles() {
  const rows = (state: State = {}, grants: readonly object[] = [grant('prod/api', 'read')]) =>
    wordsOf(of(GrantedBundles, { machine: { ...MACHINE, grants } }), {
      ...state,
      answered: [OWNER, ...STRICTER, ...(state.answered ?? [])],
    })
  const chosen = (scope: string, made: unknown) =>
    rows({ acts: { GrantRow: [['onChange', undefined, scope]] }, changes: { GrantRow: [{ made }] } }, [
      grant('prod/api'),
    ])
  const adding = (state: State = {}) =>
    rows({ ...state, acts: { GrantedBundles: [['onClick', 'Add bundle']], ...state.acts } })
  const add = ['onChoose', undefined, 'dev/new'] as const
  return {
    'no bundles, for a member': rows({ answered: [MEMBER] }, []),
    'bundles, for a member': rows({ answered: [MEMBER] }, BUSY.grants),
    'bundles, for an owner': rows(),
    'add no bundle after all': rows({
      acts: {
        GrantedBundles: [
          ['onClick', 'Add bundle'],
          ['onClose', 'AddBundleDialog'],
        ],
      },
    }),
    'it may list names': chosen('read', {}),
    'it may list names, refused': chosen('read', FORBIDDEN),
    'it may fetch': rows({ acts: { GrantRow: [['onChange', undefined, 'deliver']] } }),
    'it may not fetch after all': rows({
      acts: { GrantRow: [['onChange', undefined, 'deliver'], ['onClose']] },
    }),
    'remove a bundle': rows({
      acts: { GrantRow: [['onClick']] },
      changes: { GrantRow: [null, { made: {} }] },
    }),
    'remove a bundle, refused': rows({
      acts: { GrantRow: [['onClick']] },
      changes: { GrantRow: [null, { made: FORBIDDEN }] },
    }),
    'add a bundle, none chosen': adding({ acts: { AddBundleDialog: [['input']] } }),
    'add a bundle to fetch': adding({
      acts: { AddBundleDialog: [add], DialogForm: [['onSubmit']] },
      changes: { AddBundleDialog: [{ made: {} }] },
    }),
    'add a bundle to list': adding({
      acts: { AddBundleDialog: [add, ['onChange', 'What it may do', 'read']], DialogForm: [['onSubmit']] },
    }),
    'add a bundle, unknown': adding({
      acts: { AddBundleDialog: [['onChoose', undefined, 'dev/other'], ['input']] },
      answered: [['listBundles', {}, FORBIDDEN]],
    }),
    'a job without bundle and identity': beginning(job({ ...MACHINE, grants: [], tokens: [] })),
    'a job with a token': job(MACHINE),
    'a job with an ended token': beginning(job({ ...MACHINE, tokens: [{ ...TOKEN, ended_at: BEFORE }] })),
    'a job of a pod without identity': beginning(
      job(MACHINE, { acts: { JobFile: [['onChange', undefined, 'kubernetes']] } }),
    ),
    'a job of GitLab without identity': beginning(
      job(MACHINE, { acts: { JobFile: [['onChange', undefined, 'gitlab']] } }),
    ),
    'a job with an identity': beginning(job({ ...BUSY, tokens: [TOKEN] })),
    'a job with another bundle': job(
      { ...BUSY, trusts: [], tokens: [TOKEN] },
      { acts: { JobFile: [['onChange', 'Bundle', 'dev/app']] } },
    ),
  }
}
