import { LIMITS } from '@keyferry/contract/limits'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { SECRET } from '../../api/test/test-settings.ts'
import { ownerNamed, type SignedClient, signedClient } from '../signed-client.ts'
import { type Bulk, openBulk } from './bulk.ts'
import type { WatchedApi } from './watched-api.ts'

/** How often a value is delivered by other bundles with rules. */
const COPIES = 3
const COMPOSED = 3_000
const PART_BYTES = 2_000
const LONG_KEYS = 500
const MEMBERS = 1_000

export const NAMES = Array.from({ length: LIMITS.bundleEntries }, (_, index) => `NAME_${index}`)

/** A workspace in which each bound is filled, or as much of it as a measurement needs. */
export type World = {
  readonly api: WatchedApi
  readonly owner: SignedClient
  readonly member: SignedClient
  /** A member who reaches all bundles, by as many patterns as there can be. */
  readonly limited: SignedClient
  /** Bundles with as many keys as a bundle can have. Other bundles with rules share those of `wide`, which two people
   * approve; `plain` shares none. */
  readonly wide: Filled
  readonly plain: Filled
  readonly twins: readonly string[]
  /** Bundles of long values: composed ones, and ones that are no secret. */
  readonly composed: Filled
  readonly long: Filled
  readonly legacy: string
  readonly machine: { readonly id: string; readonly token: string }
  /** The id of a new request. */
  readonly ask: (body?: object) => Promise<string>
}

type Filled = { readonly id: string; readonly keyIds: readonly string[] }

export async function fillWorld(api: WatchedApi): Promise<World> {
  const owner = await ownerNamed('owner', api.address, SECRET)
  const member = await joined(owner, api, 'member')
  const limited = await joined(owner, api, 'limited', patterns(0))
  const bulk = await openBulk(api, owner.identity)
  const bundles = await fillBundles(bulk)
  const legacy = await fillLegacy(owner)
  await bulk.fillBundles()
  await bulk.members(MEMBERS)
  await bulk.close()
  await fillRules(owner)
  await fillReach(owner, limited.identity.userId)
  let asked = 0
  const ask = async (body: object = {}) => {
    asked += 1
    const headers = { 'x-forwarded-for': `10.1.${asked >> 8}.${asked & 255}` }
    const { id } = await owner.call('POST', '/api/v1/requests', {
      body: { client_pubkey: publicKey(), ...body },
      headers,
    })
    return id
  }
  const params = { bundle_id: bundles.wide.id }
  await owner.call('PUT', '/api/v1/bundles/{bundle_id}/policy', { params, body: { approvals_needed: 2 } })
  for (let count = 0; count < LIMITS.firstApprovalsOfPerson; count++) {
    const body = { ...params, include_keys: NAMES }
    const request_id = await ask()
    await member.call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
      params: { request_id },
      body,
    })
  }
  return {
    api,
    owner,
    member,
    limited,
    ...bundles,
    legacy,
    machine: await newMachine(owner, bundles.plain.id),
    ask,
  }
}

async function fillBundles(bulk: Bulk) {
  const wide = await bulk.bundle(
    'wide',
    NAMES.map((name) => ({ name, value: `value of ${name}` })),
  )
  const twins = await bulk.sharing({ keyIds: wide.keyIds, names: NAMES, copies: COPIES })
  const plain = await bulk.bundle(
    'plain',
    NAMES.map((name) => ({ name: `P_${name}`, value: `value of ${name}` })),
  )
  const part = { name: 'PART', value: 'p'.repeat(PART_BYTES), isSecret: false }
  const parts = Array.from({ length: LIMITS.templateParts }, () => part.name)
  const templates = Array.from({ length: COMPOSED }, (_, index) => ({
    name: `T${index}`,
    value: parts.map((name) => `\${${name}}`).join(''),
    parts,
    isSecret: false,
  }))
  const composed = await bulk.bundle('composed', [part, ...templates])
  const value = 'v'.repeat(LIMITS.valueBytes)
  const longs = Array.from({ length: LONG_KEYS }, (_, index) => ({
    name: `L${index}`,
    value,
    isSecret: false,
  }))
  const long = await bulk.bundle('long', longs)
  return { wide, twins, plain, composed, long }
}

/** As many folders with rules as there can be. Each bundle of `team/` is in one. */
async function fillRules(owner: SignedClient): Promise<void> {
  for (let index = 0; index < LIMITS.ruledFolders; index++) {
    const folder = index === 0 ? 'team/' : `folder-${index}/`
    await owner.call('PUT', '/api/v1/tenants/current/policy', { body: { folder, approvals_needed: 2 } })
  }
}

const PATTERNS_AT_ONCE = 20
const REACHED = ['team/', 'twin/', 'wide', 'plain', 'composed', 'long', 'legacy']

function patterns(group: number): string[] {
  return Array.from({ length: PATTERNS_AT_ONCE }, (_, index) =>
    group === 0 ? (REACHED[index] ?? `reach-${index}/`) : `reach-${group}-${index}/`,
  )
}

async function fillReach(owner: SignedClient, userId: string): Promise<void> {
  for (let group = 1; group < LIMITS.memberPatterns / PATTERNS_AT_ONCE; group++) {
    const body = { name: `group ${group}`, adds: patterns(group), people: [userId] }
    await owner.call('POST', '/api/v1/groups', { body })
  }
}

async function fillLegacy(owner: SignedClient): Promise<string> {
  const { id } = await owner.call('POST', '/api/v1/bundles', { body: { name: 'legacy' } })
  const data = Object.fromEntries(NAMES.slice(1).map((name) => [name, 'value']))
  const params = { bundle_id: id }
  await owner.call('POST', '/api/v1/bundles/{bundle_id}/import', { params, body: { format: 'json', data } })
  return id
}

async function newMachine({ call }: SignedClient, bundle_id: string) {
  const { id } = await call('POST', '/api/v1/machines', { body: { name: 'ci' } })
  const params = { machine_id: id }
  await call('PUT', '/api/v1/machines/{machine_id}/bundles/{bundle_id}', {
    params: { ...params, bundle_id },
    body: { scope: 'deliver' },
  })
  const { token } = await call('POST', '/api/v1/machines/{machine_id}/tokens', { params, body: {} })
  return { id, token }
}

async function joined(
  owner: SignedClient,
  api: WatchedApi,
  name: string,
  limited_to?: string[],
): Promise<SignedClient> {
  const { call, identity } = await ownerNamed(name, api.address, SECRET)
  const body = { email: `${name}@example.com`, role: 'member' as const, ...(limited_to && { limited_to }) }
  const { token } = await owner.call('POST', '/api/v1/invitations', { body })
  await call('POST', '/api/v1/invitations/accept', { body: { token } })
  return signedClient(api.address, SECRET, { ...identity, tenantId: owner.identity.tenantId })
}

/** A new client's. */
export function publicKey(): string {
  return Buffer.from(generateKeyPair().publicKey).toString('base64')
}
