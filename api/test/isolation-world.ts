import { randomUUID } from 'node:crypto'
import { type ApiEndpointName, apiEndpoints } from '@keyferry/contract'
import { createDeviceSeed, signDeviceForget, signDeviceWatch } from '@keyferry/crypto/device-key'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { generatePollVerifier, pollChallenge } from '@keyferry/crypto/poll-challenge'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import { until } from '../../plumbing/test/until.ts'
import { auditKeyIn } from '../src/maintenance.ts'
import type { Database } from '../src/storage/base/queries.ts'
import {
  type CallParts,
  type Identity,
  layerHeaders,
  SETUP_CODE,
  signedHeaders,
  type TestApi,
} from './api.ts'
import { propose } from './deposit-client.ts'
import type { CallerKind } from './isolation-table.ts'

/** A tenant with one of everything, and a caller of every kind. */
export type World = {
  owner: Identity
  outsider: Identity & { email: string }
  member: Identity
  inactive: Identity
  foreignOwner: Identity
  /** Limited to `partner/`. */
  limited: Identity
  /** Of the bundles that calls are about. */
  folder: '' | 'partner/'
}

export const ACCOUNT = {
  setup_code: SETUP_CODE,
  email: 'first@example.com',
  password: 'correct horse battery',
}

const CEREMONY = { challenge: 'AAAA', origin: 'https://keyferry.example.com', rp_id: 'keyferry.example.com' }
const NEW_PASSKEY = new SoftwarePasskey().create({
  challenge: CEREMONY.challenge,
  origin: CEREMONY.origin,
  rpId: CEREMONY.rp_id,
})

export async function createWorld(api: TestApi, database: Database): Promise<World> {
  // With the server's key, the row gets its MAC.
  await auditKeyIn(database, api.settings, new Date().toISOString())
  const owner = await api.newOwner()
  const within = (person: Identity) => ({ userId: person.userId, tenantId: owner.tenantId })
  const member = await join(api, owner, 'member')
  const inactive = await join(api, owner, 'owner')
  await database.query.updateTable('users').set({ is_active: 0 }).where('id', '=', inactive.userId).execute()
  const outsider = await newPerson(api)
  return {
    owner,
    member: within(member),
    inactive: within(inactive),
    outsider: { ...within(outsider), email: outsider.email },
    foreignOwner: await api.newOwner(),
    limited: within(await join(api, owner, 'member', ['partner/'])),
    folder: '',
  }
}

async function newPerson(api: TestApi): Promise<Identity & { email: string }> {
  const email = `${randomUUID()}@example.com`
  const body = { idp_user_id: `user_${randomUUID()}`, email, email_verified: true }
  const headers = layerHeaders('POST', '/api/v1/users/ensure', body)
  const { json } = await api.call('ensureUser', { body, headers })
  return { userId: json.user_id, tenantId: json.tenant_id, email }
}

async function join(
  api: TestApi,
  owner: Identity,
  role: string,
  limited_to?: readonly string[],
): Promise<Identity> {
  const person = await newPerson(api)
  const { json } = await api.call('createInvitation', {
    as: owner,
    body: { email: person.email, role, limited_to },
  })
  await api.call('acceptInvitation', { as: person, body: { token: json.token } })
  return person
}

/** The headers of a caller of the kind. */
export function callerHeaders(world: World, kind: CallerKind): Record<string, string> {
  const { owner } = world
  const who: Record<Exclude<CallerKind, 'unsigned' | 'forged'>, Identity> = {
    'unknown user': { userId: randomUUID(), tenantId: owner.tenantId },
    'unknown tenant': { userId: owner.userId, tenantId: randomUUID() },
    outsider: world.outsider,
    'inactive member': world.inactive,
    'foreign owner': world.foreignOwner,
    member: world.member,
    'limited member': world.limited,
    owner,
  }
  if (kind === 'unsigned') return {}
  if (kind === 'forged') return { ...signedHeaders(owner), 'x-signature': `sha256=${'0'.repeat(64)}` }
  return signedHeaders(who[kind])
}

/** A call that succeeds for every caller that is allowed: fresh ids of the owner's tenant, and a valid body. */
export async function freshCall(api: TestApi, world: World, name: ApiEndpointName): Promise<CallParts> {
  const verifier = name === 'withdrawRequest' ? generatePollVerifier() : null
  const ids = await freshIds(api, world, { name, verifier })
  const proof: Record<string, string> = verifier === null ? {} : { 'x-poll-verifier': verifier }
  return { params: ids, query: queryOf(name, ids), body: bodies(world, ids)[name], headers: proof }
}

function queryOf(name: ApiEndpointName, ids: Record<string, string>): [string, string][] {
  if (name === 'previewNames') return [['bundle_id', ids['bundle_id'] ?? '']]
  if (name !== 'compareBundles') return []
  return [ids['bundle_id'], ids['second_id']].map((id) => ['bundle_id', id ?? ''])
}

type Wanted = { name: ApiEndpointName; verifier: string | null }

async function freshIds(
  api: TestApi,
  world: World,
  { name, verifier }: Wanted,
): Promise<Record<string, string>> {
  const { path } = apiEndpoints[name]
  const needs = (...words: string[]) => words.some((word) => path.includes(word))
  const ids: Record<string, string> = { user_id: world.member.userId, tenant_id: world.owner.tenantId }
  if (name === 'removeMember') ids['user_id'] = (await join(api, world.owner, 'member')).userId
  if (
    needs(
      '{bundle_id}',
      '{key_id}',
      '{request_id}',
      '{delivery_id}',
      'keys/batch',
      'keys/uses',
      '/deliveries',
    )
  )
    Object.assign(ids, await newBundle(api, world, name))
  if (needs('{request_id}'))
    ids['request_id'] = (await api.call('createRequest', { body: askedBody(name, ids, verifier) })).json.id
  if (name === 'compareBundles') {
    Object.assign(ids, await newBundle(api, world, name))
    ids['second_id'] = (await newBundle(api, world, name)).bundle_id
  }
  if (needs('{proposal_id}')) Object.assign(ids, await newProposal(api, world))
  if (needs('{grant_id}')) ids['grant_id'] = randomUUID()
  if (needs('{machine_id}')) Object.assign(ids, await newMachine(api, world, ids['bundle_id']))
  if (needs('{webhook_id}')) Object.assign(ids, await newWebhook(api, world))
  if (needs('/invitations')) Object.assign(ids, await newInvitation(api, world, name))
  if (needs('{group_id}')) {
    const group = await api.call('createGroup', { as: world.owner, body: { name: randomUUID() } })
    ids['group_id'] = group.json.id
  }
  return ids
}

async function newProposal(api: TestApi, { owner, member, folder }: World) {
  const unique = randomUUID().replaceAll('-', '')
  const bundle = folder + unique
  await api.call('createBundle', { as: owner, body: { name: bundle } })
  const params = {
    proposal_id: await propose(api, member, { bundle, values: { [`P${unique}`]: 'v' } }),
  }
  const { plan_id } = (await api.call('planProposal', { as: owner, params })).json
  return { ...params, plan_id }
}

async function newBundle(api: TestApi, { owner: as, folder }: World, name: ApiEndpointName) {
  const unique = randomUUID().replaceAll('-', '')
  const bundle = await api.call('createBundle', { as, body: { name: folder + unique } })
  const key = await api.call('createKey', { as, body: { name: `K${unique}`, value: 'v' } })
  const params = { bundle_id: bundle.json.id, key_id: key.json.id }
  const key_name = `LEGACY${unique}`
  if (name !== 'duplicateBundle')
    await api.call('upsertLegacyItem', { as, params, body: { key: key_name, value: 'v' } })
  if (name !== 'attachKey') await api.call('attachKey', { as, params })
  // Old versions begin at 1, and the value is another one each time.
  await api.call('updateKey', { as, params, body: { value: 'w' } })
  const given = name === 'dismissHolder' || name === 'getDelivery' ? await newHolder(api, as, params) : {}
  return { ...params, ...given, key_name, version: '1' }
}

/** A webhook without a receiver, with a message. */
async function newWebhook(api: TestApi, { owner: as }: World): Promise<Record<string, string>> {
  // A workspace can have few, so the one before makes room.
  const before = await api.call('listWebhooks', { as })
  for (const { id } of before.json) await api.call('deleteWebhook', { as, params: { webhook_id: id } })
  const { json } = await api.call('createWebhook', { as, body: { url: 'https://receiver.localhost/' } })
  const params = { webhook_id: json.id }
  const sent = await api.call('testWebhook', { as, params })
  // A message that is being sent cannot be sent again.
  await until('the end of the first call', async () => {
    const messages = await api.call('listWebhookMessages', { as, params })
    return messages.json.every(({ attempts, state }) => attempts > 0 && state !== 'sending')
  })
  return { ...params, message_id: sent.json.message_id }
}

/** A machine with a token, and a grant of the bundle, if there is one. */
async function newMachine(api: TestApi, { owner: as }: World, bundleId: string | undefined) {
  const machine = await api.call('createMachine', { as, body: { name: randomUUID() } })
  const params = { machine_id: machine.json.id, bundle_id: bundleId ?? '' }
  if (bundleId !== undefined) await api.call('grantBundle', { as, params, body: { scope: 'read' } })
  const token = await api.call('createMachineToken', { as, params })
  return { machine_id: machine.json.id, token_id: token.json.id, trust_id: randomUUID(), fingerprint: 'x' }
}

async function newHolder(api: TestApi, as: Identity, params: { bundle_id: string; key_id: string }) {
  const request_id = (await api.call('createRequest', { body: requestBody(null) })).json.id
  const key = await api.call('getKey', { as, params })
  const body = { bundle_id: params.bundle_id, include_keys: [key.json.name] }
  await api.call('encryptFromBundle', { as, params: { request_id }, body })
  const { json } = await api.call('listHolders', { as, params })
  return { holder: json[0]?.holder ?? 'none', delivery_id: json[0]?.delivery_id ?? 'none' }
}

async function newInvitation(api: TestApi, { owner: as, outsider }: World, name: ApiEndpointName) {
  // The outsider is a member if they accepted the last invitation.
  await api.call('removeMember', { as, params: { user_id: outsider.userId } })
  const email = name === 'acceptInvitation' ? outsider.email : `${randomUUID()}@example.com`
  const { json } = await api.call('createInvitation', { as, body: { email, role: 'member' } })
  return { invitation_id: json.id, token: json.token }
}

function requestBody(verifier: string | null) {
  const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
  return verifier === null ? { client_pubkey } : { client_pubkey, poll_challenge: pollChallenge(verifier) }
}

// A request for names is approved as what it asks for.
function askedBody(name: ApiEndpointName, ids: Record<string, string>, verifier: string | null) {
  if (name === 'vouchForRequest') return { ...requestBody(generatePollVerifier()), release: ['code'] }
  if (name !== 'previewNames' && name !== 'approveNames') return requestBody(verifier)
  return { ...requestBody(generatePollVerifier()), kind: 'names', bundle_id: ids['bundle_id'] }
}

function watchBody(delivery_id: string) {
  const time = new Date().toISOString()
  return { delivery_id, device: signDeviceWatch(createDeviceSeed(), delivery_id, time) }
}

// Keys and signatures are made only for the endpoint that needs them.
function bodies(world: World, ids: Record<string, string>): { readonly [N in ApiEndpointName]?: unknown } {
  const unique = randomUUID().replaceAll('-', '')
  const bundle = world.folder + unique
  return {
    get createRequest() {
      return requestBody(null)
    },
    vouchForRequest: { bundle_id: ids['bundle_id'], include_keys: [ids['key_name']], release: 'code' },
    encryptFromBundle: { bundle_id: ids['bundle_id'], include_keys: [ids['key_name']] },
    releaseRequest: { secret: '482913' },
    approveDeposit: { plan_id: 'x' },
    acceptProposal: { plan_id: ids['plan_id'] },
    approveNames: { bundle_id: ids['bundle_id'] },
    changeBundlePolicy: { approvers: 'owner' },
    changeTenantPolicy: { approvers: 'member' },
    get forgetDevice() {
      return { device: signDeviceForget(createDeviceSeed(), new Date().toISOString()) }
    },
    get waitForRememberedChange() {
      return watchBody(ids['delivery_id'] ?? 'none')
    },
    storePayload: { ciphertext_base64: 'AAAA' },
    createBundle: { name: bundle },
    updateBundle: { description: 'new' },
    duplicateBundle: { name: bundle },
    attachKey: {},
    changeAttachment: { required: true },
    reorderKey: { order: 0 },
    importVariables: { bundle, entries: [{ name: unique, value: '' }] },
    moveLibrary: { library: { keyferry_library: 1, kid: '9c1f5a3e7b2d4860', box_base64: 'c2VhbGVk' } },
    importItems: { format: 'json', data: { A: '1' } },
    upsertLegacyItem: { key: 'A', value: '1' },
    createKey: { name: unique, value: '' },
    updateKey: { description: 'new' },
    changeKeys: { action: 'delete', key_ids: [ids['key_id']] },
    findKeyUses: { key_ids: [ids['key_id']] },
    restoreKeyVersion: { version: 1 },
    ensureUser: { idp_user_id: `user_${unique}`, email: `${unique}@example.com` },
    changeProvidedUser: { is_active: false },
    changeOwnMails: { off: ['signed_in'] },
    proveAddress: { token: 'unknown' },
    changePassword: { current_password: 'any', new_password: ACCOUNT.password },
    changeEmail: { current_password: 'any', email: `${unique}@example.com` },
    preparePasskey: { current_password: 'any' },
    addPasskey: { name: 'Laptop', passkey: NEW_PASSKEY, ceremony: CEREMONY },
    addApprovalKey: { token: 'unknown', name: 'Laptop', passkey: NEW_PASSKEY },
    confirmApprovalKey: { fingerprint: 'BCDF-GHJK' },
    renamePasskey: { name: 'Laptop' },
    removePasskey: { current_password: 'any' },
    changeSecondFactor: { current_password: 'any', after_password: true },
    joinWithAccount: { token: 'unknown', password: ACCOUNT.password },
    setUpAccount: ACCOUNT,
    logIn: ACCOUNT,
    createTenant: { name: unique },
    renameTenant: { name: unique },
    switchTenant: { tenant_id: world.owner.tenantId },
    changeMemberRole: { role: 'member' },
    changeMemberLimit: { limited_to: null },
    createGroup: { name: unique },
    changeGroup: { name: unique, adds: ['partner/'] },
    createInvitation: { email: `${unique}@example.com`, role: 'member' },
    previewInvitation: { token: ids['token'] },
    acceptInvitation: { token: ids['token'] },
    createMachine: { name: unique },
    updateMachine: { description: 'new' },
    grantBundle: { scope: 'deliver' },
    createMachineToken: {},
    rotateMachineToken: {},
    createMachineTrust: { issuer: 'https://issuer.example.com', claims: { sub: ['a'] } },
    allowMachineAttempt: { issuer: 'https://issuer.example.com', claims: { sub: 'a' } },
    reportTokens: [{ token: 'kfm_unknown' }],
    createWebhook: { url: 'https://192.0.2.1/' },
    updateWebhook: { description: 'new' },
    get createDelivery() {
      return { ...requestBody(null), bundle_id: ids['bundle_id'] }
    },
  }
}
