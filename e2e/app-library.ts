import { randomInt } from 'node:crypto'
import { CreatedRequest } from '@keyferry/contract'
import { createClient, type EndpointClient } from '@keyferry/contract/client'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import type { RequestBody } from '../cli/src/server/approval-requests.ts'
import { callAsClient } from './client-calls.ts'

export type LibraryKey = { name: string; value: string; is_secret: boolean; description?: string }
export type LibraryBundle = { name: string; keys: readonly LibraryKey[]; description?: string; tags?: string }

const secret = (name: string, description = ''): LibraryKey => ({
  name,
  value: `planted-${name.toLowerCase()}`,
  is_secret: true,
  description,
})
const open = (name: string, value: string): LibraryKey => ({ name, value, is_secret: false })

const DATABASE_URL = secret('DATABASE_URL', 'Primary database, read and write')
const REDIS_URL = secret('REDIS_URL')
const STRIPE_SECRET_KEY = secret('STRIPE_SECRET_KEY', 'Rotated every quarter')
const LOG_LEVEL = open('LOG_LEVEL', 'info')

/** A library as a small team has it. Every secret value begins with `planted-`, so that a leak can be searched for. */
export const LIBRARY: readonly LibraryBundle[] = [
  {
    name: 'dev/app',
    description: 'The shop on a laptop',
    tags: 'dev,shop',
    keys: [
      DATABASE_URL,
      REDIS_URL,
      open('PORT', '3000'),
      secret('SESSION_SECRET'),
      STRIPE_SECRET_KEY,
      LOG_LEVEL,
    ],
  },
  { name: 'dev/worker', tags: 'dev', keys: [DATABASE_URL, REDIS_URL, LOG_LEVEL] },
  { name: 'prod/shop/app', description: 'What customers see', tags: 'prod,shop', keys: [STRIPE_SECRET_KEY] },
  {
    name: 'prod/shop/mail',
    tags: 'prod',
    keys: [secret('SMTP_PASSWORD'), open('SMTP_HOST', 'smtp.example.com')],
  },
  { name: 'ci', description: 'Shared by every pipeline', tags: 'ci', keys: [secret('NPM_TOKEN')] },
]

/** Put bundles and their keys into the library behind `url`; a key that several bundles name is made once.
 * @param headers what each call carries, for a server that wants to know who calls
 * @returns ids by name */
export async function createLibrary(
  url: string,
  bundles: readonly LibraryBundle[] = LIBRARY,
  headers: Readonly<Record<string, string>> = {},
) {
  const call = createClient(url, (input, init) =>
    fetch(input, { ...init, headers: Object.assign({}, init?.headers, headers) }),
  )
  const ids = { bundles: new Map<string, string>(), keys: new Map<string, string>() }
  for (const { keys, ...bundle } of bundles) {
    const { id: bundle_id } = await call('POST', '/api/v1/bundles', { body: bundle })
    ids.bundles.set(bundle.name, bundle_id)
    for (const [index, key] of keys.entries()) {
      const key_id = ids.keys.get(key.name) ?? (await call('POST', '/api/v1/keys', { body: key })).id
      ids.keys.set(key.name, key_id)
      const path = '/api/v1/bundles/{bundle_id}/keys/{key_id}'
      await call('POST', path, { params: { bundle_id, key_id }, body: { required: index === 0 } })
    }
  }
  return ids
}

export type Asking = {
  bundle?: string
  keys?: readonly string[]
  meta?: Readonly<Record<string, string>>
  workspace?: string
  /** The terminal's address; a new one unless given. */
  address?: string
  /** With one, the request can be withdrawn, and only this client can wait for it. */
  verifier?: string
  /** How the client takes an approval back; not at all unless given. */
  release?: readonly ('loopback' | 'code')[]
  argv?: readonly string[]
  /** The client left secrets out of `argv`. */
  isMasked?: boolean
  /** What the client's own command was told. */
  flags?: readonly string[]
}

/** What a terminal says of itself. */
export const META = {
  hostname: 'sams-laptop',
  user: 'sam',
  os: 'linux x64',
  client_version: 'keyferry 0.1.0',
  cwd: '/home/sam/projects/shop/services/checkout-api',
  command: 'npm run dev -- --host --port 3000',
}

/** Ask as the client does, with its own headers and fields. The server must trust this machine as a proxy: each
 * client then has a different address, and the rate limit of one address does not slow the tests. */
export async function askApproval(url: string, asking: Asking = {}) {
  const { publicKey } = generateKeyPair()
  const { bundle, workspace, keys = [], meta = META, verifier, release = [], argv, isMasked, flags } = asking
  const { address = `198.51.${randomInt(256)}.${randomInt(256)}` } = asking
  const body: AskedBody = {
    client_pubkey: Buffer.from(publicKey).toString('base64'),
    template_keys: [...keys],
    format: 'sh',
    release: [...release],
    meta,
    ...(bundle === undefined ? {} : { bundle_id: bundle }),
    ...(workspace === undefined ? {} : { workspace }),
    ...(argv === undefined ? {} : { argv: [...argv] }),
    ...(isMasked ? { argv_masked: 'x'.repeat(43) } : {}),
    ...(flags === undefined ? {} : { use: { redaction: 'auto', flags: [...flags] } }),
    ...(verifier === undefined ? {} : { poll_challenge: pollChallenge(verifier) }),
  }
  return await createAsClient(url, address, body)
}

/** The fields that the client sends. Stories leave out the challenge where nobody waits. */
export type AskedBody = Omit<RequestBody, 'poll_challenge'> & Partial<Pick<RequestBody, 'poll_challenge'>>

/** Make a request with the headers and the fields of the client. */
export async function createAsClient(url: string, address: string, body: AskedBody) {
  const call = { method: 'POST', url: `${url}/api/v1/requests`, address, body } as const
  const { status, text } = await callAsClient(call)
  if (status !== 201) throw new Error(`the request was refused: ${text}`)
  return CreatedRequest.parse(JSON.parse(text))
}

/** What a terminal does when it is interrupted. */
export async function withdraw(url: string, requestId: string, verifier: string): Promise<void> {
  const call: EndpointClient = createClient(url)
  await call('POST', '/api/v1/requests/{request_id}/withdraw', {
    params: { request_id: requestId },
    headers: { 'x-poll-verifier': verifier },
  })
}
