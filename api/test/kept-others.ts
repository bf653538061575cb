import { createDeviceSeed, signDeviceRequest } from '@keyferry/crypto/device-key'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { expect } from 'vitest'
import { SoftwarePasskey } from '../../plumbing/test/software-passkey.ts'
import { linkPeople } from '../src/main.ts'
import { type Identity, SETUP_CODE, type TestApi } from './api.ts'
import { ApprovalClient, approveWith, newBundle } from './approval-client.ts'
import { Issuer } from './issuer.ts'
import type { Library } from './kept-database.ts'
import { newMachine } from './machine-client.ts'
import { ReturningClient, secretOf } from './returning-client.ts'
import { askedIn, TouchKey } from './touch-client.ts'

/** Fill the tables that `fillLibrary` leaves empty, in a bundle and with an account of their own. */
export async function fillOthers(api: TestApi, { owner, member }: Library): Promise<void> {
  const bundle = await newBundle(api, owner, { TOKEN: 'a third value', URL: 'https://example.com/' })
  await fillAccount(api)
  await fillRules(api, owner, bundle.id)
  await fillGrant(api, owner, bundle)
  await fillMachine(api, owner, bundle.id)
  const params = { request_id: await new ApprovalClient(api).asked() }
  expect((await api.call('denyRequest', { as: owner, params })).status).toBe(200)
  await fillPeople(api, owner, member)
  await fillMails(api, owner)
}

async function fillAccount(api: TestApi): Promise<void> {
  const [email, password] = ['sam@example.com', 'correct horse battery']
  const { json } = await api.call('setUpAccount', { body: { setup_code: SETUP_CODE, email, password } })
  const as = { userId: json.user_id, tenantId: json.tenant_id }
  const [challenge, rp_id] = ['AAAA', 'keyferry.example.com']
  const origin = `https://${rp_id}`
  const passkey = new SoftwarePasskey().create({ challenge, origin, rpId: rp_id })
  const body = { name: 'Laptop', passkey, ceremony: { challenge, origin, rp_id } }
  expect((await api.call('addPasskey', { as, body })).status).toBe(201)
  expect((await api.call('logIn', { body: { email, password: 'wrong' } })).status).toBe(401)
  expect((await new TouchKey().add(api, as)).status).toBe(201)
}

async function fillRules(api: TestApi, as: Identity, bundle_id: string): Promise<void> {
  const invited = { email: 'kim@example.com', role: 'member' }
  expect((await api.call('createInvitation', { as, body: invited })).status).toBe(201)
  const bundleRules = { as, params: { bundle_id }, body: { approvers: 'owner' } }
  expect((await api.call('changeBundlePolicy', bundleRules)).status).toBe(200)
  const rules = { as, body: { approvers: 'member' } }
  expect((await api.call('changeTenantPolicy', rules)).status).toBe(200)
  const folderRules = { as, body: { folder: 'prod/', approvals_needed: 2 } }
  expect((await api.call('changeTenantPolicy', folderRules)).status).toBe(200)
}

/** A group, a signed act that waits, and a linked way to sign in. */
async function fillPeople(api: TestApi, owner: Identity, member: Identity): Promise<void> {
  const group = { name: 'Release', adds: ['prod/'], people: [member.userId] }
  expect((await api.call('createGroup', { as: owner, body: group })).status).toBe(201)
  const key = new TouchKey()
  await key.enrol(api, owner)
  const { id: key_id, fingerprint } = (await new TouchKey().add(api, member)).json
  const body = { fingerprint: fingerprint?.slice(0, 9) }
  const call = { as: owner, params: { key_id }, body }
  const asked = askedIn(await api.call('confirmApprovalKey', call))
  await api.call('confirmApprovalKey', { ...call, headers: key.sign(asked) })
  expect((await api.call('listLastingActs', { as: owner })).json).toHaveLength(1)
  const idp_user_id = 'user_lee'
  await api.call('ensureUser', { body: { idp_user_id, email: 'lee@example.com', email_verified: true } })
  const pair = { old: member.userId, fresh: { idpUserId: idp_user_id } }
  const [report] = await linkPeople({ ...api.settings, redisUrl: null }, [pair], true)
  expect(report?.refusal).toBeNull()
}

/** A choice, and a mail about a value that expires soon. */
async function fillMails(api: TestApi, as: Identity): Promise<void> {
  expect((await api.call('changeOwnMails', { as, body: { off: ['signed_in'] } })).status).toBe(200)
  const expires_at = new Date(Date.now() + 24 * 60 * 60 * 1_000).toISOString()
  const body = { name: 'EXPIRES', value: 'a fourth value', expires_at }
  expect((await api.call('createKey', { as, body })).status).toBe(201)
}

/** A remembered approval. */
async function fillGrant(api: TestApi, as: Identity, bundle: { id: string; name: string }): Promise<void> {
  const client = new ReturningClient(api)
  const use = { redaction: 'auto', flags: [] }
  const asked = { argv: ['npm', 'run', 'dev'], cwd: '/home/sam/shop', use }
  const device = {
    ...asked,
    clientPublicKey: client.keyPair.publicKey,
    bundle: bundle.name,
    workspace: undefined,
    templateKeys: [],
    argvMasked: undefined,
    agent: undefined,
    reason: undefined,
  }
  const signed = signDeviceRequest(createDeviceSeed(), device, new Date().toISOString())
  const named = { bundle_id: bundle.name, template_keys: [], device: signed }
  const requestId = await client.asked({ ...client.returning(), ...asked, ...named })
  const approval = { bundle_id: bundle.id, include_keys: ['TOKEN'], release: 'loopback', remember_hours: 8 }
  const { json } = await approveWith(api, as, { requestId, ...approval })
  await client.release(requestId, secretOf(json))
  await expect.poll(async () => (await api.call('listGrants', { as })).json.length).toBe(1)
}

/** A machine with a token, a bundle, a trust, and an attempt with other claims. */
async function fillMachine(api: TestApi, as: Identity, bundle_id: string): Promise<void> {
  const { id: machine_id } = await newMachine(api, as)
  await api.call('grantBundle', { as, params: { machine_id, bundle_id }, body: { scope: 'deliver' } })
  const issuer = new Issuer()
  await issuer.rotate('first')
  const iss = 'https://ci.example.com'
  const trust = { issuer: iss, keys: issuer.jwks, claims: { sub: ['job'] } }
  const params = { machine_id }
  expect((await api.call('createMachineTrust', { as, params, body: trust })).status).toBe(201)
  const seconds = Math.floor(Date.now() / 1_000)
  const times = { iat: seconds, exp: seconds + 300 }
  const token = await issuer.sign({ iss, aud: 'https://keyferry.example.com', sub: 'another', ...times })
  const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
  const headers = { authorization: `Bearer ${token}` }
  await api.call('createDelivery', { body: { client_pubkey, bundle_id, machine_id }, headers })
  expect((await api.call('listMachineAttempts', { as, params })).json).toHaveLength(1)
}
