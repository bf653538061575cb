import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { text as textOf } from 'node:stream/consumers'
import { type ApiEndpointName, apiEndpoints, ErrorBody, failureStatuses } from '@keyferry/contract'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import * as fc from 'fast-check'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { startApi } from '../src/main.ts'
import { callsOf, type FuzzedCall } from './arbitraries.ts'
import { type Identity, layerHeaders, signedHeaders, testSettings } from './test-settings.ts'

const CALLS_AT_ONCE = 16
// What these do is slow by design, so a few of their calls have to do.
const SLOW: readonly string[] = ['logIn', 'setUpAccount', 'joinWithAccount']

type Answer = { status: number; type: string; text: string }
type Target = { address: string; owner: Identity; agent: Agent; known: Readonly<Record<string, string>> }

/** Send at least `count` generated requests over all endpoints. Waits use unknown ids only, because the server would
 * keep a wait for a known id open.
 * @throws Error with the smallest request that was answered wrongly: by a 5xx, by a status that the table does not
 *   name, or by a failure without `error` and `code` */
export async function fuzz(kind: 'sqlite' | 'postgres', count: number, seed?: number): Promise<void> {
  const databaseUrl = kind === 'postgres' ? await freshPostgres() : null
  const settings = testSettings({ databaseUrl, trustProxy: ['127.0.0.1'], logLevel: 'silent' })
  const api = await startApi(settings)
  const agent = new Agent({ keepAlive: true, maxSockets: CALLS_AT_ONCE })
  try {
    const target = await createTarget(api.address, agent)
    const perEndpoint = Math.ceil(count / (names().length - SLOW.length) / CALLS_AT_ONCE)
    for (const name of names())
      await fuzzEndpoint(target, name, { runs: SLOW.includes(name) ? 1 : perEndpoint, seed })
  } finally {
    agent.destroy()
    await api.close()
  }
}

// What deletes comes last, so that the others find something.
function names(): ApiEndpointName[] {
  const all = Object.keys(apiEndpoints).filter((name): name is ApiEndpointName => name in apiEndpoints)
  return all.toSorted(
    (a, b) => Number(apiEndpoints[a].method === 'DELETE') - Number(apiEndpoints[b].method === 'DELETE'),
  )
}

async function fuzzEndpoint(
  target: Target,
  name: ApiEndpointName,
  { runs, seed }: { runs: number; seed: number | undefined },
): Promise<void> {
  const known = name === 'waitForApproval' ? {} : target.known
  const batch = fc.array(callsOf(name, known), { minLength: CALLS_AT_ONCE, maxLength: CALLS_AT_ONCE })
  const property = fc.asyncProperty(batch, async (calls) => {
    await Promise.all(calls.map(async (call) => requireProper(call, await send(target, call))))
  })
  await fc.assert(property, { numRuns: runs, ...(seed === undefined ? {} : { seed }) })
}

function requireProper(call: FuzzedCall, { status, type, text }: Answer): void {
  const row = apiEndpoints[call.name]
  if (status >= 500) throw new Error(`${row.method} ${call.path} answered ${status}: ${text}`)
  if (status >= 400) ErrorBody.parse(JSON.parse(text))
  const documented = [...Object.keys(row.responses).map(Number), ...failureStatuses(row)]
  if (reaches(call.path, row.path) && !documented.includes(status))
    throw new Error(`${call.name} answered an undocumented ${status}: ${text}`)
  // An answer without a body has no type.
  if (status === 204 && text === '') return
  if (status < 400 && !/^(application\/json|text\/plain)/.test(type))
    throw new Error(`${call.name} answered ${type}`)
}

// A broken path may be no route at all, or lead to another endpoint.
function reaches(path: string, pattern: string): boolean {
  const [place = ''] = path.split('?')
  const shape = new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  return shape.test(place) && !/%(?![0-9a-f]{2})|%ff|\/\.{1,2}(?:\/|$)|%2e/i.test(place)
}

let peers = 0

function send({ address, owner, agent }: Target, call: FuzzedCall): Promise<Answer> {
  peers += 1
  const { hostname, port } = new URL(address)
  // Each call comes from a different address, so that it meets no rate limit.
  const forwarded = `10.${(peers >> 16) & 255}.${(peers >> 8) & 255}.${peers & 255}`
  const headers = {
    'x-forwarded-for': forwarded,
    ...(call.as === 'owner' ? signedHeaders(owner) : {}),
    ...call.headers,
    ...(call.body === null ? {} : { 'content-length': Buffer.byteLength(call.body) }),
  }
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const outgoing = request({
    hostname,
    port,
    path: asciiPath(call.path),
    method: apiEndpoints[call.name].method,
    headers,
    agent,
  })
  outgoing.on('error', reject)
  outgoing.on('response', (response) => {
    const { statusCode: status = 0, headers: answered } = response
    textOf(response).then((text) => resolve({ status, type: answered['content-type'] ?? '', text }), reject)
  })
  outgoing.end(call.body ?? undefined)
  return promise
}

function asciiPath(path: string): string {
  return path.replaceAll(/[^\x21-\x7e]/g, (character) => encodeURIComponent(character.toWellFormed()))
}

async function createTarget(address: string, agent: Agent): Promise<Target> {
  const nobody = { address, agent, known: {}, owner: { userId: '', tenantId: '' } }
  const make = async (target: Target, name: ApiEndpointName, path: string, body: unknown) => {
    const headers = name === 'ensureUser' ? layerHeaders('POST', path, body) : {}
    const as = name === 'ensureUser' ? 'nobody' : 'owner'
    const call: FuzzedCall = { name, path, headers, body: JSON.stringify(body), as }
    const made: Record<string, string> = JSON.parse((await send(target, call)).text)
    return made
  }
  const person = { idp_user_id: `user_${randomUUID()}`, email: 'fuzz@example.com' }
  const ensured = await make(nobody, 'ensureUser', '/api/v1/users/ensure', person)
  const owner = { userId: ensured['user_id'] ?? '', tenantId: ensured['tenant_id'] ?? '' }
  const target = { ...nobody, owner }
  const bundle = await make(target, 'createBundle', '/api/v1/bundles', { name: 'known' })
  const key = await make(target, 'createKey', '/api/v1/keys', { name: 'KNOWN', value: 'v' })
  const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
  const asked = await make(target, 'createRequest', '/api/v1/requests', { client_pubkey })
  const known = { bundle_id: bundle['id'] ?? '', key_id: key['id'] ?? '', request_id: asked['id'] ?? '' }
  return { ...target, known: { ...known, user_id: owner.userId, key_name: 'KNOWN' } }
}

if (import.meta.main) {
  const [, , count = '100000', kind = 'sqlite', seed] = process.argv
  await fuzz(
    kind === 'postgres' ? 'postgres' : 'sqlite',
    Number(count),
    seed === undefined ? undefined : Number(seed),
  )
  console.log(`${count} requests on ${kind}: all answered properly`)
  process.exit(0)
}
