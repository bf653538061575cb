import { hash, randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import type { MacTable } from '../src/storage/row-macs/mac-tables.ts'
import { type Answered, type Identity, SETUP_CODE, type TestApi } from './api.ts'
import { ApprovalClient, approveWith } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import {
  fetchValues,
  grant,
  newBundle,
  newMachine,
  type TestBundle,
  type TestMachine,
} from './machine-client.ts'
import { TouchKey } from './touch-client.ts'

const PASSWORD = 'correct horse battery'
const SITE = { origin: 'https://keyferry.example.com', rpId: 'keyferry.example.com', challenge: 'AAAA' }
export const NOW = new Date().toISOString()
const LATER = '2099-01-01T00:00:00.000Z'

export type World = {
  account: Identity
  owner: Identity
  member: Identity & { idpUserId: string }
  outsider: Identity
  /** Limited members: in the group, out of it, and taken out of it. */
  inGroup: Identity & { idpUserId: string }
  outOfGroup: Identity
  takenOut: Identity
  group: string
  approvalKey: string
  bundle: TestBundle
  other: TestBundle
  machine: TestMachine
  stopped: TestMachine
  ended: TestMachine
  invitation: string
  /** Where there are rules; `twin` shares a value with `own`. */
  ruled: Record<'own' | 'twin' | 'inFolder' | 'inWorkspace', TestBundle>
}

export type Row = Record<string, string | number | Uint8Array | null>
/** A change by SQL: a new row, other values in the row that `where` finds, or its deletion. */
type Forgery = {
  table: MacTable
  row?: (world: World) => Row
  where?: (world: World) => Row
  change?: ((world: World) => Row) | 'deletion'
  /** The call that the change would let through. */
  call: (api: TestApi, world: World) => Promise<Answered>
}

const tokenHash = (token: string) => hash('sha256', token)
const fetched =
  (machine: (world: World) => TestMachine, bundle: (world: World) => TestBundle): Forgery['call'] =>
  async (api, world) =>
    (await fetchValues(api, { token: machine(world).token, bundle_id: bundle(world).id })).answer
const me =
  (person: (world: World) => Identity): Forgery['call'] =>
  (api, world) =>
    api.call('getMe', { as: person(world) })
const listed =
  (person: (world: World) => Identity): Forgery['call'] =>
  (api, world) =>
    api.call('listBundles', { as: person(world) })
const groupMember = (person: (world: World) => Identity) => (world: World) => ({
  tenant_id: world.owner.tenantId,
  group_id: world.group,
  user_id: person(world).userId,
})
const approvalKeys: Forgery['call'] = (api, { account }) => api.call('listApprovalKeys', { as: account })
const members: Forgery['call'] = (api, { member }) =>
  api.call('createMachine', { as: member, body: { name: randomUUID() } })
const logIn: Forgery['call'] = (api) =>
  api.call('logIn', { body: { email: 'first@example.com', password: PASSWORD } })
const passkeys: Forgery['call'] = (api, { account }) => api.call('listPasskeys', { as: account })
const preview: Forgery['call'] = (api, { invitation }) =>
  api.call('previewInvitation', { body: { token: invitation } })
const ofMachine = (machine: (world: World) => TestMachine) => (world: World) => ({
  tenant_id: world.owner.tenantId,
  id: machine(world).id,
})
const ofToken = (machine: (world: World) => TestMachine) => (world: World) => ({
  tenant_id: world.owner.tenantId,
  id: machine(world).tokenId,
})
const ofUser = (person: (world: World) => Identity) => (world: World) => ({ id: person(world).userId })
const ofBundle = ({ bundle }: World) => ({ id: bundle.id })
const readBundle: Forgery['call'] = (api, { owner, bundle }) =>
  api.call('getBundle', { as: owner, params: { bundle_id: bundle.id } })
export const approved =
  (bundle: (world: World) => TestBundle, person = ({ member }: World): Identity => member): Forgery['call'] =>
  async (api, world) => {
    const { id: bundle_id, values } = bundle(world)
    const requestId = await new ApprovalClient(api).asked()
    const chosen = { requestId, bundle_id, include_keys: Object.keys(values) }
    return approveWith(api, person(world), chosen)
  }
export const approvedInWorkspace = approved(
  (w) => w.ruled.inWorkspace,
  (w) => w.outsider,
)
const renamed: Forgery['call'] = (api, { owner, ruled }) =>
  api.call('updateBundle', {
    as: owner,
    params: { bundle_id: ruled.inFolder.id },
    body: { name: `guarded/${randomUUID()}` },
  })
const ruledAnew: Forgery['call'] = (api, { owner, ruled }) =>
  api.call('changeBundlePolicy', {
    as: owner,
    params: { bundle_id: ruled.own.id },
    body: { remember_hours: 1 },
  })
const rulesOf = (bundle: (world: World) => TestBundle) => (world: World) => ({
  tenant_id: world.owner.tenantId,
  place: bundle(world).id,
})
export const rulesOfOwn = rulesOf((w) => w.ruled.own)
export const rulesOfFolder = ({ owner }: World) => ({ tenant_id: owner.tenantId, place: 'guarded/' })
export const rulesOfWorkspace = ({ outsider }: World) => ({
  tenant_id: outsider.tenantId,
  place: 'workspace',
})
const attachment = ({ owner, bundle }: World) => ({
  tenant_id: owner.tenantId,
  bundle_id: bundle.id,
  key_id: bundle.keyIds['A'] ?? '',
})

const link =
  (idp_user_id: string, id: string | null) =>
  ({ owner }: World): Row => ({
    id,
    idp_user_id,
    user_id: owner.userId,
    from_user_id: null,
    state: 'linked',
    deeds: '',
    created_at: NOW,
    linked_at: NOW,
  })

/** Rows that a program without the root key adds or changes. */
export const FORGERIES: Record<string, Forgery> = {
  'a user': {
    table: 'users',
    row: () => ({
      id: randomUUID(),
      idp_user_id: 'user_forged',
      username: 'forged',
      email: 'forged@example.com',
      email_key: 'forged@example.com',
      email_verified: 1,
      email_as_of: null,
      auth_provider: 'accounts',
      password_hash: null,
      must_change_password: 0,
      passkey_after_password: 0,
      is_active: 1,
      last_login: null,
      created_at: NOW,
      updated_at: NOW,
    }),
    call: (api) =>
      api.call('ensureUser', { body: { idp_user_id: 'user_forged', email: 'forged@example.com' } }),
  },
  "a user's password": {
    table: 'users',
    where: ofUser((w) => w.account),
    change: () => ({ password_hash: 'x' }),
    call: logIn,
  },
  "a user's second factor": {
    table: 'users',
    where: ofUser((w) => w.account),
    change: () => ({ passkey_after_password: 1 }),
    call: logIn,
  },
  "a user's e-mail": {
    table: 'users',
    where: ofUser((w) => w.member),
    change: () => ({ email: 'x@example.com', email_key: 'x@example.com' }),
    call: me((w) => w.member),
  },
  "the mark of a user's e-mail": {
    table: 'users',
    where: ofUser((w) => w.member),
    change: () => ({ email_verified: 0 }),
    call: me((w) => w.member),
  },
  "a user's identity": {
    table: 'users',
    where: ofUser((w) => w.member),
    change: () => ({ idp_user_id: 'user_other' }),
    call: me((w) => w.member),
  },
  'whether a user is active': {
    table: 'users',
    where: ofUser((w) => w.member),
    change: () => ({ is_active: 0 }),
    call: me((w) => w.member),
  },
  'a passkey': {
    table: 'passkeys',
    row: ({ account }) => ({
      id: randomUUID(),
      user_id: account.userId,
      credential_id: 'forged',
      public_key: Buffer.from('x'),
      counter: 0,
      name: 'x',
      created_at: NOW,
      last_used_at: null,
    }),
    call: passkeys,
  },
  "a passkey's key": {
    table: 'passkeys',
    where: ({ account }) => ({ user_id: account.userId }),
    change: () => ({ public_key: Buffer.from('x') }),
    call: passkeys,
  },
  'a link of a person': {
    table: 'person_links',
    row: link('user_linked', randomUUID()),
    call: (api) => api.call('ensureUser', { body: { idp_user_id: 'user_linked', email: 'x@example.com' } }),
  },
  'a link of a person that has no id': {
    table: 'person_links',
    row: link('user_without_id', null),
    call: (api) =>
      api.call('ensureUser', { body: { idp_user_id: 'user_without_id', email: 'w@example.com' } }),
  },
  'an invitation': {
    table: 'invitations',
    row: ({ owner }) => ({
      id: randomUUID(),
      tenant_id: owner.tenantId,
      email: 'y@example.com',
      email_key: 'y@example.com',
      role: 'owner',
      token_hash: 'x',
      created_by: owner.userId,
      created_at: NOW,
      expires_at: LATER,
      replaces: null,
    }),
    call: (api, { owner }) => api.call('listInvitations', { as: owner }),
  },
  "an invitation's role": {
    table: 'invitations',
    where: ({ invitation }) => ({ token_hash: tokenHash(invitation) }),
    change: () => ({ role: 'owner' }),
    call: preview,
  },
  'a membership': {
    table: 'memberships',
    row: ({ owner, outsider }) => ({
      id: randomUUID(),
      user_id: outsider.userId,
      tenant_id: owner.tenantId,
      role: 'owner',
      created_at: NOW,
    }),
    call: (api, { owner, outsider }) =>
      api.call('listKeys', { as: { ...outsider, tenantId: owner.tenantId } }),
  },
  "a membership's role": {
    table: 'memberships',
    where: ({ member, owner }) => ({ user_id: member.userId, tenant_id: owner.tenantId }),
    change: () => ({ role: 'owner' }),
    call: members,
  },
  'a group': {
    table: 'member_groups',
    row: ({ owner }) => ({ id: randomUUID(), tenant_id: owner.tenantId, name: 'Forged', adds: 'forged/' }),
    call: (api, { owner }) => api.call('listGroups', { as: owner }),
  },
  'what a group adds': {
    table: 'member_groups',
    where: ({ owner, group }) => ({ tenant_id: owner.tenantId, id: group }),
    change: () => ({ adds: 'prod/' }),
    call: listed((w) => w.inGroup),
  },
  'who is in a group': {
    table: 'group_members',
    row: (world) => ({ ...groupMember((w) => w.outOfGroup)(world), confirmed: 1 }),
    call: listed((w) => w.outOfGroup),
  },
  'who is in a group that a rule names': {
    table: 'group_members',
    row: (world) => ({ ...groupMember((w) => w.member)(world), confirmed: 1 }),
    call: (api, { owner, other }) =>
      api.call('getBundlePolicy', { as: owner, params: { bundle_id: other.id } }),
  },
  'who was taken out of a group': {
    table: 'group_members',
    where: groupMember((w) => w.takenOut),
    change: () => ({ confirmed: 0 }),
    call: listed((w) => w.takenOut),
  },
  'a signing key': {
    table: 'approval_keys',
    row: ({ account }) => ({
      id: randomUUID(),
      tenant_id: account.tenantId,
      user_id: account.userId,
      credential_id: 'forged',
      public_key: Buffer.from('x'),
      key_hash: 'x',
      is_synced: 0,
      aaguid: '',
      rp_id: SITE.rpId,
      state: 'active',
      confirmed_by: null,
      name: 'x',
      transports: '',
      counter: 0,
      created_at: NOW,
      last_used_at: null,
    }),
    call: approvalKeys,
  },
  'whether a signing key counts': {
    table: 'approval_keys',
    where: ({ account, approvalKey }) => ({ tenant_id: account.tenantId, id: approvalKey }),
    change: () => ({ state: 'active' }),
    call: approvalKeys,
  },
  'the announcement of an act that lasts': {
    table: 'lasting_acts',
    row: ({ owner }) => ({
      id: randomUUID(),
      tenant_id: owner.tenantId,
      user_id: owner.userId,
      act: 'x',
      call_hash: 'x',
      concerns: '{}',
      created_at: NOW,
      counts_from: NOW,
    }),
    call: (api, { owner }) => api.call('listLastingActs', { as: owner }),
  },
  'whether a machine is active': {
    table: 'machines',
    where: ofMachine((w) => w.stopped),
    change: () => ({ is_active: 1 }),
    call: fetched(
      (w) => w.stopped,
      (w) => w.bundle,
    ),
  },
  'whether a machine reads the log': {
    table: 'machines',
    where: ofMachine((w) => w.machine),
    change: () => ({ reads_audit: 1 }),
    call: fetched(
      (w) => w.machine,
      (w) => w.bundle,
    ),
  },
  'a grant': {
    table: 'machine_grants',
    row: ({ owner, machine, other }) => ({
      tenant_id: owner.tenantId,
      machine_id: machine.id,
      bundle_id: other.id,
      scope: 'deliver',
      created_by: owner.userId,
      created_at: NOW,
    }),
    call: fetched(
      (w) => w.machine,
      (w) => w.other,
    ),
  },
  "a grant's scope": {
    table: 'machine_grants',
    where: ({ machine }) => ({ machine_id: machine.id }),
    change: () => ({ scope: 'read' }),
    call: fetched(
      (w) => w.machine,
      (w) => w.bundle,
    ),
  },
  'a token': {
    table: 'machine_tokens',
    row: ({ owner, machine }) => ({
      id: randomUUID(),
      tenant_id: owner.tenantId,
      machine_id: machine.id,
      token_hash: 'x',
      hint: 'x',
      networks: '[]',
      created_by: owner.userId,
      created_at: NOW,
      lifetime_seconds: 60,
      expires_at: LATER,
      tell_at: null,
      ended_at: null,
      last_used_at: null,
      last_used_ip: null,
    }),
    call: (api, { owner }) => api.call('listMachines', { as: owner }),
  },
  "a token's hash": {
    table: 'machine_tokens',
    where: ofToken((w) => w.ended),
    change: () => ({ token_hash: tokenHash('kfm_x') }),
    call: (api, { owner }) => api.call('listMachines', { as: owner }),
  },
  "a token's end": {
    table: 'machine_tokens',
    where: ofToken((w) => w.ended),
    change: () => ({ ended_at: null }),
    call: fetched(
      (w) => w.ended,
      (w) => w.bundle,
    ),
  },
  "a token's networks": {
    table: 'machine_tokens',
    where: ofToken((w) => w.machine),
    change: () => ({ networks: '["::/0"]' }),
    call: fetched(
      (w) => w.machine,
      (w) => w.bundle,
    ),
  },
  'a trust': {
    table: 'machine_trusts',
    row: ({ owner, machine }) => ({
      id: randomUUID(),
      tenant_id: owner.tenantId,
      machine_id: machine.id,
      issuer: 'https://x.example.com',
      audience: 'x',
      claims: '{}',
      issuer_keys: null,
      binding: 'possible',
      networks: '[]',
      max_age_seconds: null,
      is_broad: 0,
      created_by: owner.userId,
      created_at: NOW,
      last_used_at: null,
      last_used_ip: null,
    }),
    call: (api, { owner, machine }) =>
      api.call('getMachine', { as: owner, params: { machine_id: machine.id } }),
  },
  "a bundle's name": {
    table: 'bundles',
    where: ofBundle,
    change: () => ({ name: 'dev/forged' }),
    call: readBundle,
  },
  'who created a bundle': {
    table: 'bundles',
    where: ofBundle,
    change: ({ member }) => ({ created_by: member.userId }),
    call: readBundle,
  },
  "a bundle's tags": {
    table: 'bundles',
    where: ofBundle,
    change: () => ({ tags: 'dev' }),
    call: readBundle,
  },
  "a bundle's production mark": {
    table: 'bundles',
    where: ofBundle,
    change: () => ({ production: 'no' }),
    call: readBundle,
  },
  'whether a bundle has rules': {
    table: 'bundles',
    where: ({ ruled }) => ({ id: ruled.own.id }),
    change: () => ({ ruled: null }),
    call: approved((w) => w.ruled.own),
  },
  'where a workspace has rules': {
    table: 'tenants',
    where: ({ owner }) => ({ id: owner.tenantId }),
    change: () => ({ ruled: null }),
    call: approved((w) => w.ruled.inFolder),
  },
  'rules of a bundle': {
    table: 'policies',
    row: (world) => ({ ...rulesOf((w) => w.bundle)(world), bundle_id: world.bundle.id, approvers: 'member' }),
    call: approved((w) => w.bundle),
  },
  'a rule of a bundle': {
    table: 'policies',
    where: rulesOfOwn,
    change: () => ({ approvers: null }),
    call: approved((w) => w.ruled.own),
  },
  'rules of a bundle that no longer name it': {
    table: 'policies',
    where: rulesOfOwn,
    change: () => ({ bundle_id: null }),
    call: approved((w) => w.ruled.own),
  },
  'rules of a bundle that are gone': {
    table: 'policies',
    where: rulesOfOwn,
    change: 'deletion',
    call: approved((w) => w.ruled.own),
  },
  'rules of a bundle that are gone, for the values that it shares': {
    table: 'policies',
    where: rulesOfOwn,
    change: 'deletion',
    call: approved((w) => w.ruled.twin),
  },
  'rules of a bundle that are gone, for an owner who changes one': {
    table: 'policies',
    where: rulesOfOwn,
    change: 'deletion',
    call: ruledAnew,
  },
  'a rule of a folder': {
    table: 'policies',
    where: rulesOfFolder,
    change: () => ({ approvers: null }),
    call: approved((w) => w.ruled.inFolder),
  },
  "a folder's name": {
    table: 'policies',
    where: rulesOfFolder,
    change: () => ({ place: 'elsewhere/' }),
    call: approved((w) => w.ruled.inFolder),
  },
  'rules of a folder that are gone': {
    table: 'policies',
    where: rulesOfFolder,
    change: 'deletion',
    call: approved((w) => w.ruled.inFolder),
  },
  'rules of a folder that are gone, for a bundle that gets another name': {
    table: 'policies',
    where: rulesOfFolder,
    change: 'deletion',
    call: renamed,
  },
  'rules of a workspace': {
    table: 'policies',
    row: ({ owner }) => ({ tenant_id: owner.tenantId, place: 'workspace', approvers: 'member' }),
    call: approved((w) => w.bundle),
  },
  'a rule of a workspace': {
    table: 'policies',
    where: rulesOfWorkspace,
    change: () => ({ approvals_needed: null }),
    call: approvedInWorkspace,
  },
  'rules of a workspace that are gone': {
    table: 'policies',
    where: rulesOfWorkspace,
    change: 'deletion',
    call: approvedInWorkspace,
  },
  'a remembered approval': {
    table: 'grants',
    row: ({ owner, bundle }) => ({
      tenant_id: owner.tenantId,
      id: randomUUID(),
      bundle_id: bundle.id,
      user_id: owner.userId,
      device_key: 'x',
      argv: '[]',
      argv_masked: null,
      cwd: '/',
      agent: null,
      use: null,
      label: '{}',
      keys: '["A"]',
      left_out: '[]',
      asked: '[]',
      bundle_names: '',
      hours: 8,
      uses: 0,
      created_at: NOW,
      expires_at: LATER,
      last_used_at: null,
      ended: null,
    }),
    call: (api, { owner }) => api.call('listGrants', { as: owner }),
  },
  'an attachment': {
    table: 'attachments',
    row: ({ owner, bundle, other }) => ({
      tenant_id: owner.tenantId,
      bundle_id: bundle.id,
      key_id: other.keyIds['B'] ?? '',
      delivered_name: 'B',
      position: 1,
      required: 0,
    }),
    call: fetched(
      (w) => w.machine,
      (w) => w.bundle,
    ),
  },
  "an attachment's key": {
    table: 'attachments',
    where: attachment,
    change: ({ other }) => ({ key_id: other.keyIds['B'] ?? '' }),
    call: fetched(
      (w) => w.machine,
      (w) => w.bundle,
    ),
  },
  "an attachment's name": {
    table: 'attachments',
    where: attachment,
    change: () => ({ delivered_name: 'LD_PRELOAD' }),
    call: fetched(
      (w) => w.machine,
      (w) => w.bundle,
    ),
  },
}

export async function newWorld(api: TestApi): Promise<World> {
  const first = { setup_code: SETUP_CODE, email: 'first@example.com', password: PASSWORD }
  const { json } = await api.call('setUpAccount', { body: first })
  const account = { userId: json.user_id, tenantId: json.tenant_id }
  const ceremony = { challenge: SITE.challenge, origin: SITE.origin, rp_id: SITE.rpId }
  const body = { name: 'Laptop', passkey: new SoftwarePasskey().create(SITE), ceremony }
  expect((await api.call('addPasskey', { as: account, body })).status).toBe(201)
  const owner = await api.newOwner()
  const [bundle, other] = [await newBundle(api, owner, { A: '1' }), await newBundle(api, owner, { B: '2' })]
  const [machine, stopped, ended] = [
    await newMachine(api, owner),
    await newMachine(api, owner),
    await newMachine(api, owner),
  ]
  for (const each of [machine, stopped, ended]) await grant(api, owner, { machine: each, bundle })
  const params = { machine_id: stopped.id }
  await api.call('updateMachine', { as: owner, params, body: { is_active: false } })
  await api.call('endMachineToken', { as: owner, params: { machine_id: ended.id, token_id: ended.tokenId } })
  const invited = await api.call('createInvitation', {
    as: owner,
    body: { email: 'z@example.com', role: 'member' },
  })
  const member = await joinWorkspace(api, owner, 'member')
  const outsider = await api.newOwner()
  const ruled = await newRules(api, { owner, outsider })
  const groups = await groupsIn(api, { owner, other })
  const { id: approvalKey } = (await new TouchKey().add(api, account)).json
  return {
    ...groups,
    approvalKey,
    account,
    owner,
    member,
    outsider,
    bundle,
    other,
    machine,
    stopped,
    ended,
    invitation: invited.json.token,
    ruled,
  }
}

async function newRules(
  api: TestApi,
  { owner, outsider }: Pick<World, 'owner' | 'outsider'>,
): Promise<World['ruled']> {
  const [own, twin] = [await newBundle(api, owner, { C: '3' }), await newBundle(api, owner, { F: '6' })]
  const shared = { bundle_id: twin.id, key_id: own.keyIds['C'] ?? '' }
  expect((await api.call('attachKey', { as: owner, params: shared })).status).toBe(201)
  const [inFolder, inWorkspace] = [
    await newBundle(api, owner, { D: '4' }),
    await newBundle(api, outsider, { E: '5' }),
  ]
  const moved = { params: { bundle_id: inFolder.id }, body: { name: 'guarded/one' } }
  expect((await api.call('updateBundle', { as: owner, ...moved })).status).toBe(200)
  const rules = [
    await api.call('changeBundlePolicy', {
      as: owner,
      params: { bundle_id: own.id },
      body: { approvers: 'owner' },
    }),
    await api.call('changeTenantPolicy', { as: owner, body: { folder: 'guarded/', approvers: 'owner' } }),
    await api.call('changeTenantPolicy', { as: outsider, body: { approvals_needed: 2 } }),
  ]
  expect(rules.map(({ status }) => status)).toEqual([200, 200, 200])
  return { own, twin: { ...twin, values: own.values }, inFolder, inWorkspace }
}

async function groupsIn(api: TestApi, { owner, other }: Pick<World, 'owner' | 'other'>) {
  const limited = () => joinWorkspace(api, owner, 'member', { limited_to: ['partner/'] })
  const [inGroup, outOfGroup, takenOut] = [await limited(), await limited(), await limited()]
  const people = [inGroup.userId, takenOut.userId]
  const made = { name: 'Partners', adds: ['dev/'], people }
  const group = (await api.call('createGroup', { as: owner, body: made })).json.id
  const left = { people: [inGroup.userId] }
  await api.call('changeGroup', { as: owner, params: { group_id: group }, body: left })
  const rule = { approvers: 'named', people: [group] }
  await api.call('changeBundlePolicy', { as: owner, params: { bundle_id: other.id }, body: rule })
  return { inGroup, outOfGroup, takenOut, group }
}
