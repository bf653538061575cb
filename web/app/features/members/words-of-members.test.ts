import { test } from 'vitest'
import {
  type Answered,
  expectWords,
  FORBIDDEN,
  of,
  onPage,
  refusal,
  type State,
  wordsOf,
} from '../../test/static-words.ts'
import { InvitePage } from './invite-page.tsx'
import { MembersPage } from './members-page.tsx'

onPage()

const LATER = '2026-06-08T12:00:00.000Z'
const OPERATIONS = ['changeMemberRole', 'createInvitation', 'changeMemberLimit']
const ME = {
  user_id: 'u1',
  username: 'kim',
  email: 'kim@example.com',
  auth_mode: 'accounts',
  tenant: { id: 'w1', name: 'Acme' },
  role: 'owner',
  may: OPERATIONS,
}
const KIM = { user_id: 'u1', username: 'kim', email: 'kim@example.com', role: 'owner', may_remove: true }
const LEE = {
  user_id: 'u2',
  username: 'lee',
  email: null,
  role: 'member',
  may_remove: true,
  limited_to: ['partner/', '*/shop', 'dev/app'],
  holds: { total: 2, older: 1 },
}
const SAM = { ...LEE, user_id: 'u3', username: 'sam', limited_to: null, holds: { total: 1, older: 0 } }
const KEY = {
  id: 'a1',
  user_id: 'u1',
  username: 'kim',
  name: 'YubiKey',
  state: 'active',
  works_here: true,
  synced: false,
  created_at: '2026-05-01T12:00:00.000Z',
  last_used_at: null,
  fingerprint: null,
  counts_from: null,
  confirmed_by: null,
  ends_at: null,
}
const GROUP = {
  id: 'g1',
  name: 'partners',
  people: ['u2'],
  adds: ['partner/'],
  unconfirmed: [],
  unconfirmed_since: null,
}
const WAITING = { ...GROUP, id: 'g2', name: 'ops', people: [], adds: [], unconfirmed: ['u2', 'u3'] }
const KEYS = {
  keys: [
    KEY,
    {
      ...KEY,
      id: 'a2',
      user_id: 'u2',
      username: 'lee',
      state: 'pending',
      fingerprint: 'ABCD EFGH',
      synced: true,
    },
    { ...KEY, id: 'a3', state: 'pending', ends_at: LATER, last_used_at: '2026-05-31T12:00:00.000Z' },
    { ...KEY, id: 'a4', state: 'pending', counts_from: LATER, confirmed_by: 'u1' },
    { ...KEY, id: 'a5', state: 'pending', counts_from: LATER, confirmed_by: 'u2' },
    { ...KEY, id: 'a6', works_here: false },
  ],
}
const INVITATION = { id: 'i1', email: 'max@example.com', role: 'member', expires_at: LATER }
const CREATED = { ...INVITATION, accept_path: '/invite/x' }
const ACT = { id: 'l1', person: { name: 'lee' }, counts_from: LATER, act: 'changeTenantPolicy', concerns: {} }

const ANSWERS: readonly Answered[] = [
  ['getMe', {}, ME],
  ['listMembers', { facts: '1' }, [KIM, LEE, SAM]],
  ['listMembers', {}, [KIM, LEE, SAM]],
  ['listApprovalKeys', {}, { keys: [] }],
  ['listGroups', {}, []],
  ['listInvitations', {}, []],
  ['listLastingActs', {}, []],
]
const page = ({ answered = [], ...state }: State = {}) =>
  wordsOf(of(MembersPage), { ...state, answered: [...ANSWERS, ...answered] })
const alone = (...members: readonly object[]) => [['listMembers', { facts: '1' }, members]] as const
const asking = (handler: string, member: string, state: State = {}) =>
  page({ ...state, acts: { ...state.acts, Members: [[handler, memberOf(member)]] } })
// Acts find a row by its member, so both use the same object.
const memberOf = (name: string) => [KIM, LEE, SAM].find(({ username }) => username === name)
const knows = (user: string, known: readonly object[]): readonly Answered[] => [
  ['listHoldings', { user_id: user, limit: 1_000 }, known],
  ['listTypedValues', { user_id: user, limit: 1_000 }, []],
]
const GIVEN = {
  key: {
    id: 'k1',
    name: 'PORT',
    version: 1,
    bundles: [{ id: 'b1', name: 'prod/app', is_production: true }],
    is_secret: true,
  },
  version: 1,
  perhaps_version: null,
}
const OTHER = {
  ...GIVEN,
  key: { ...GIVEN.key, id: 'k2', is_secret: false, bundles: [{ id: 'b2', name: 'dev/app' }] },
}
const REMOVED = {
  acts: { ConfirmDialog: [['onClick', 'Remove member']] },
  changes: { RemoveMemberDialog: [{ made: {} }] },
} as const
const group = (state: State = {}, some: readonly object[] = [GROUP, WAITING]) =>
  page({ ...state, answered: [['listGroups', {}, some]] })
const invite = (state: State = {}) => page({ ...state, answered: [['listGroups', {}, [GROUP]]] })
const keys = (state: State = {}) => page({ ...state, answered: [['listApprovalKeys', {}, KEYS]] })
const open = (state: State = {}) =>
  page({
    ...state,
    answered: [
      [
        'listInvitations',
        {},
        [INVITATION, { ...INVITATION, id: 'i2', role: 'owner', limited_to: ['partner/'], groups: ['g1'] }],
      ],
    ],
  })
const offer = (me: object | null, state: State = {}, tenants: readonly object[] = []) =>
  wordsOf(of(InvitePage, { token: 't' }), {
    ...state,
    answered: [
      ...(me === null ? [] : ([['getMe', {}, me]] as const)),
      ['listTenants', {}, tenants],
      [
        'previewInvitation',
        { token: 't' },
        {
          tenant: { id: 'w2', name: 'Shop' },
          email: 'Kim@example.com',
          role: 'member',
          invited_by: { username: 'lee', email: null },
          expires_at: LATER,
        },
      ],
      ...(state.answered ?? []),
    ],
  })
/** An owner opens the menu of a member's role and chooses another one. */
const otherRole = (role: 'owner' | 'member', is: object) =>
  page({
    answered: alone({ ...KIM, role, ...is }, { ...SAM, role: 'owner' }),
    acts: {
      Menu: [
        ['onToggle', undefined, { newState: 'open' }],
        // The one that is not checked.
        ['onClick', false],
      ],
    },
    changes: { RoleMenu: [{ made: {} }] },
  })
const limit = (state: State = {}) => asking('onLimit', 'lee', state)

test('member pages show the recorded text', async () => {
  await expectWords(import.meta.filename, {
    'one user': page({ answered: [['getMe', {}, { ...ME, auth_mode: 'local' }]] }),
    'members, for an owner': page(),
    'members, for a member': page({
      answered: [['getMe', {}, { ...ME, user_id: 'u2', role: 'member', may: [] }]],
    }),
    'the only owner': page({ answered: alone(KIM) }),
    'two owners': page({ answered: alone(KIM, { ...SAM, role: 'owner', may_remove: false }) }),
    'another owner becomes a member': otherRole('owner', { user_id: 'u9' }),
    'a member becomes an owner': otherRole('member', { user_id: 'u9' }),
    'an owner makes themselves a member': otherRole('owner', {}),
    'signing keys': keys(),
    'signing keys of a person without one': page({
      answered: [['listApprovalKeys', {}, { keys: KEYS.keys.slice(1, 2) }]],
    }),
    'confirm a key': keys({
      acts: {
        KeyRow: [['onClick', 'Confirm']],
        ConfirmKeyDialog: [['onChange', undefined, 'ABCDEFGH']],
        DialogForm: [['onSubmit']],
      },
      changes: { ConfirmKeyDialog: [{ made: {} }] },
    }),
    'remove a key': keys({
      acts: { KeyRow: [['onClick', 'Remove kim · YubiKey']], ConfirmDialog: [['onClick', 'Remove']] },
      changes: { RemoveKeyDialog: [{ made: {} }] },
    }),
    'signed changes': page({ answered: [['listLastingActs', {}, [ACT]]] }),
    'stop a signed change': page({
      answered: [['listLastingActs', {}, [ACT]]],
      acts: { ActRow: [['onClick', 'Stop']] },
      changes: { ActRow: [{ made: FORBIDDEN }] },
    }),
    'groups do not load': page({ answered: [['listGroups', {}, FORBIDDEN]] }),
    groups: group(),
    'no new group after all': group({
      acts: {
        Groups: [
          ['onClick', 'New group'],
          ['onClose', 'NewGroupDialog'],
        ],
      },
    }),
    'a group with many members': group({}, [
      {
        ...GROUP,
        people: ['u1', 'u2', 'u3'],
        unconfirmed: ['u3'],
        unconfirmed_since: '2026-05-01T12:00:00.000Z',
      },
    ]),
    'a new group': group({
      acts: {
        Groups: [['onClick', 'New group']],
        NewGroupDialog: [['onChange', 'GroupFields', { name: 'ops', adds: ['dev/'] }]],
        DialogForm: [['onSubmit']],
      },
      changes: { NewGroupDialog: [{ made: {} }] },
    }),
    'the rights that a group adds': group({
      acts: {
        Groups: [['onClick', 'New group']],
        GroupFields: [['onChange', 'Adds to limits', 'dev/, */shop dev/']],
      },
    }),
    'a comma of what a group adds': group({
      acts: {
        Groups: [['onClick', 'New group']],
        GroupFields: [['onChange', 'Adds to limits', ',']],
      },
    }),
    'change a group': group({
      acts: {
        Groups: [['onChange', GROUP]],
        ChangeGroupDialog: [['onChange', 'GroupFields', { people: [] }]],
        DialogForm: [['onSubmit']],
      },
      changes: { ChangeGroupDialog: [{ made: {} }] },
    }),
    'confirm who is in a group': group({
      acts: {
        Groups: [['onChange', WAITING]],
        ChangeGroupDialog: [
          ['onChange', 'Take out lee', true],
          ['onChange', 'Take out lee', false],
          ['onChange', 'Take out sam', true],
        ],
        DialogForm: [['onSubmit']],
      },
    }),
    'delete a group': group({
      acts: { Groups: [['onDelete', GROUP]], ConfirmDialog: [['onClick', 'Delete group']] },
      changes: { DeleteGroupDialog: [{ made: {} }] },
    }),
    'the limit of a member': limit(),
    'remove a limit': limit({
      acts: { LimitDialog: [['onChange', 'Bundles', ' ']], DialogForm: [['onSubmit']] },
      changes: { LimitDialog: [{ made: {} }] },
    }),
    'change a limit': limit({
      acts: { LimitDialog: [['onChange', 'Bundles', 'dev/a, dev/b']], DialogForm: [['onSubmit']] },
      changes: { LimitDialog: [{ made: {} }] },
      answered: [
        [
          'listGroups',
          {},
          [GROUP, { ...WAITING, adds: ['ops/'] }, { ...GROUP, people: ['u3'], adds: ['qa/'] }],
        ],
      ],
    }),
    leave: asking('onRemove', 'kim', { acts: { ConfirmDialog: [['onClick', 'Leave']] } }),
    'remove a member, before their values are known': asking('onRemove', 'lee'),
    'remove a member who holds nothing': asking('onRemove', 'lee', { answered: knows('u2', []), ...REMOVED }),
    'remove a member who holds one': asking('onRemove', 'lee', { answered: knows('u2', [GIVEN]) }),
    'remove a member who holds two': asking('onRemove', 'lee', { answered: knows('u2', [GIVEN, OTHER]) }),
    'a member was removed': asking('onRemove', 'lee', {
      answered: knows('u2', [GIVEN, OTHER, { ...OTHER, key: { ...OTHER.key, id: 'k3', version: 2 } }]),
      acts: { RemoveMemberDialog: [['onDone']] },
    }),
    'a member was removed, and a value is ticked and unticked': asking('onRemove', 'lee', {
      answered: knows('u2', [GIVEN, OTHER]),
      acts: { RemoveMemberDialog: [['onDone']], GivenList: [['onTick'], ['onTick']] },
    }),
    ...invitations(),
  })
})

const typed = (text: string, ...more: [string, unknown, unknown][]) => ({
  InviteForm: [['onChange', 'E-mail', { currentTarget: { value: text } }], ...more, ['onSubmit']] as [
    string,
    unknown?,
    unknown?,
  ][],
})

function invitations() {
  const sent = { InviteForm: [['onSubmit']] } as const
  const member = refusal(409, 'conflict', 'Member already', { id: 'u2', username: 'lee' })
  return {
    'invite without an address': invite({ acts: sent }),
    'invite a person': invite({ acts: typed('max@example.com') }),
    'invite two people': invite({
      acts: typed('a@example.com; b@example.com'),
      changes: { InviteForm: [{ made: CREATED }] },
    }),
    'invite an owner': invite({ acts: typed('max@example.com', ['onChange', 'Role', 'owner']) }),
    'limit or group': invite({
      acts: {
        InviteForm: [
          ['onClick', 'Limit or group'],
          ['onChange', 'E-mail', { currentTarget: { value: 'a@example.com' } }],
          ['onChange', 'Sees', { currentTarget: { value: 'partner/' } }],
          ['onChange', 'Group', 'g1'],
          ['onSubmit'],
        ],
      },
    }),
    'invite a member': invite({ changes: { InviteForm: [{ is: member }] } }),
    'move a membership': invite({
      changes: { InviteForm: [{ is: member, made: CREATED }] },
      acts: {
        InviteForm: [
          ['onChange', 'E-mail', { currentTarget: { value: 'a@example.com' } }],
          ['onClick', 'Move the membership'],
        ],
      },
    }),
    'invite, refused': invite({ changes: { InviteForm: [{ is: FORBIDDEN }] } }),
    invited: page({
      acts: {
        MembersPage: [
          ['onCreated', undefined, CREATED],
          ['onCreated', undefined, { ...CREATED, id: 'i3' }],
        ],
      },
    }),
    'invited, and withdrawn': page({
      acts: {
        MembersPage: [
          ['onCreated', undefined, CREATED],
          ['onCreated', undefined, { ...CREATED, id: 'i3', email: 'lee@example.com' }],
          ['onRevoked', undefined, 'i1'],
        ],
      },
    }),
    'open invitations': open(),
    'a new link to an invitation': open({
      acts: { OpenInvitations: [['onClick', 'New link']] },
      changes: { OpenInvitations: [{ made: FORBIDDEN }] },
    }),
    'a new link with a limit': open({
      acts: { OpenInvitations: [['onClick', 'New link for max@example.com']] },
      changes: { OpenInvitations: [{ made: CREATED }] },
    }),
    'withdraw an invitation': open({
      acts: { OpenInvitations: [['onClick', 'Withdraw']] },
      changes: { OpenInvitations: [null, { made: {} }] },
    }),
    'withdraw an invitation, refused': open({
      acts: { OpenInvitations: [['onClick', 'Withdraw']] },
      changes: { OpenInvitations: [null, { made: FORBIDDEN }] },
    }),
    'join, signed out': offer(null),
    'join, signed in': offer(ME, { acts: { Offer: [['onClick', 'Join the workspace']] } }),
    'join, refused': offer(ME, { changes: { Offer: [{ is: FORBIDDEN }] } }),
    'sign out to join with another account, refused': offer(
      { ...ME, email: 'lee@example.com' },
      { changes: { Offer: [null, { is: FORBIDDEN }] } },
    ),
    'join with another account': offer(
      { ...ME, email: 'lee@example.com' },
      { acts: { Offer: [['onClick', 'Sign out']] } },
    ),
    ...Object.fromEntries(
      ['/', 'https://login.example/end'].map((address) => [
        `signed out to join with another account, on ${address}`,
        offer(
          { ...ME, email: 'lee@example.com' },
          { acts: { Offer: [['onClick', 'Sign out']] }, changes: { Offer: [null, { made: address }] } },
        ),
      ]),
    ),
    joined: offer(ME, { acts: { InvitePage: [['onJoined', undefined, { id: 'w2', name: 'Shop' }]] } }, [
      { id: 'w2', name: 'Shop' },
    ]),
    'joined, while another workspace is open': offer(
      ME,
      { acts: { InvitePage: [['onJoined', undefined, { id: 'w2', name: 'Shop' }]] } },
      [
        { id: 'w1', name: 'Acme' },
        { id: 'w2', name: 'Shop' },
      ],
    ),
    'no such invitation': offer(ME, {
      answered: [['previewInvitation', { token: 't' }, refusal(404, 'not_found', 'no invitation')]],
    }),
    'an invitation that does not load': offer(ME, {
      answered: [['previewInvitation', { token: 't' }, refusal(503, 'unavailable', 'unavailable')]],
    }),
  }
}
