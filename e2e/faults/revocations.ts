import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { CallError, createClient, type EndpointClient } from '@keyferry/contract/client'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { Issuer } from '../../api/test/issuer.ts'
import type { SharedBundle } from './workload.ts'

export type RevocationOptions = {
  /** Nodes of one service. Deliveries take turns on them, and every other revocation. */
  readonly addresses: readonly [string, ...string[]]
  readonly bundle: SharedBundle
  readonly revocations: number
}

export type RevocationResult = {
  readonly delivered: number
  readonly refused: number
  /** Deliveries that began after the answer to the revocation and succeeded, by the kind of revocation. */
  readonly late: readonly string[]
  /** Answers that are neither a delivery nor a clear refusal. */
  readonly unclear: readonly string[]
}

const LINES = 4
/** Some deliveries are done before the revocation. */
const LATEST_REVOCATION_MS = 40
const AFTER_REFUSAL_MS = 20
const AUDIENCE = 'https://keyferry.example.com'
const ISSUER = 'https://issuer.example.com'
const PUBLIC_KEY = Buffer.from(generateKeyPair().publicKey).toString('base64')
const REFUSALS = new Set([
  'unauthorized',
  'token_ended',
  'token_expired',
  'trust_ended',
  'identity_not_trusted',
  'machine_inactive',
  'not_granted',
])

type Racer = {
  machine_id: string
  token_id: string
  trust_id: string
  /** By a token of Keyferry, or an ID token of the issuer. */
  proofs: Readonly<Record<'token' | 'idToken', string>>
}

type Revocation = {
  readonly kind: string
  readonly proof: keyof Racer['proofs']
  readonly revoke: (call: EndpointClient, racer: Racer, bundleId: string) => Promise<unknown>
}

const MACHINE = '/api/v1/machines/{machine_id}'

const REVOCATIONS: readonly [Revocation, ...Revocation[]] = [
  {
    kind: 'token ended',
    proof: 'token',
    revoke: (call, params) => call('DELETE', `${MACHINE}/tokens/{token_id}`, { params }),
  },
  {
    kind: 'token rotated',
    proof: 'token',
    revoke: (call, params) =>
      call('POST', `${MACHINE}/tokens/{token_id}/rotate`, { params, body: { overlap_seconds: 0 } }),
  },
  {
    kind: 'token reported',
    proof: 'token',
    revoke: (call, { proofs: { token } }) => call('POST', '/api/v1/tokens/reported', { body: [{ token }] }),
  },
  {
    kind: 'trust ended',
    proof: 'idToken',
    revoke: (call, params) => call('DELETE', `${MACHINE}/trusts/{trust_id}`, { params }),
  },
  {
    kind: 'grant taken',
    proof: 'idToken',
    revoke: (call, params, bundle_id) =>
      call('DELETE', `${MACHINE}/bundles/{bundle_id}`, { params: { ...params, bundle_id } }),
  },
  {
    kind: 'machine stopped',
    proof: 'token',
    revoke: (call, params) => call('PUT', MACHINE, { params, body: { is_active: false } }),
  },
  {
    kind: 'machine deleted',
    proof: 'idToken',
    revoke: (call, params) => call('DELETE', MACHINE, { params }),
  },
]

/** Machines that fetch on several lines while what lets them is revoked. Nothing may be delivered to a call that
 * begins after the revocation was answered. */
export async function raceRevocations(options: RevocationOptions): Promise<RevocationResult> {
  const issuer = new Issuer()
  await issuer.start()
  try {
    const total = { delivered: 0, refused: 0, late: [] as string[], unclear: [] as string[] }
    for (let at = 0; at < options.revocations; at += 1) {
      const race = await raceOne(options, issuer, at)
      total.delivered += race.delivered
      total.refused += race.refused
      total.late.push(...race.late)
      total.unclear.push(...race.unclear)
    }
    return total
  } finally {
    issuer.stop()
  }
}

async function raceOne(options: RevocationOptions, issuer: Issuer, at: number): Promise<RevocationResult> {
  const { addresses, bundle } = options
  const { kind, proof, revoke } = REVOCATIONS[at % REVOCATIONS.length] ?? REVOCATIONS[0]
  const nodeAt = (turn: number) => createClient(addresses[turn % addresses.length] ?? addresses[0])
  const owner = nodeAt(Math.floor(at / REVOCATIONS.length))
  const racer = await newRacer(owner, { issuer, bundle, name: `racer-${at}` })
  const seen = { delivered: 0, refused: 0, late: [] as string[], unclear: [] as string[] }
  let isRevoked = false
  const lines = Array.from({ length: LINES }, async (_, line) => {
    const peer = `10.${(at >> 8) & 255}.${at & 255}.${line + 1}`
    // Until a call that began after the revocation is answered.
    for (let isLate = false; !isLate; ) {
      isLate = isRevoked
      const outcome = await deliver(nodeAt(line), { racer, proof, bundle, peer })
      if (outcome === 'delivered') seen.delivered += 1
      else if (REFUSALS.has(outcome)) {
        seen.refused += 1
        // 30 refusals a minute are answered to one address, and the answer to the revocation may be on its way.
        await sleep(AFTER_REFUSAL_MS)
      } else seen.unclear.push(`${kind}: ${outcome}`)
      if (isLate && outcome === 'delivered') seen.late.push(kind)
    }
  })
  await sleep(randomInt(LATEST_REVOCATION_MS))
  await revoke(owner, racer, bundle.bundleId)
  isRevoked = true
  await Promise.all(lines)
  if (kind !== 'machine deleted') await owner('DELETE', MACHINE, { params: racer })
  return seen
}

type NewRacer = { issuer: Issuer; bundle: SharedBundle; name: string }

async function newRacer(call: EndpointClient, { issuer, bundle, name }: NewRacer): Promise<Racer> {
  const { id: machine_id } = await call('POST', '/api/v1/machines', { body: { name } })
  const params = { machine_id }
  const grant = { params: { ...params, bundle_id: bundle.bundleId }, body: { scope: 'deliver' } } as const
  await call('PUT', `${MACHINE}/bundles/{bundle_id}`, grant)
  const token = await call('POST', `${MACHINE}/tokens`, { params, body: {} })
  const draft = { issuer: ISSUER, audience: AUDIENCE, claims: { sub: [name] }, keys: issuer.jwks }
  const trust = await call('POST', `${MACHINE}/trusts`, { params, body: draft })
  const seconds = Math.floor(Date.now() / 1_000)
  const times = { iat: seconds, exp: seconds + 600 }
  const idToken = await issuer.sign({ iss: ISSUER, aud: AUDIENCE, sub: name, ...times })
  return { machine_id, token_id: token.id, trust_id: trust.id, proofs: { token: token.token, idToken } }
}

type Fetch = { racer: Racer; proof: keyof Racer['proofs']; bundle: SharedBundle; peer: string }

async function deliver(call: EndpointClient, { racer, proof, bundle, peer }: Fetch): Promise<string> {
  const { machine_id, proofs } = racer
  try {
    await call('POST', '/api/v1/deliveries', {
      body: { client_pubkey: PUBLIC_KEY, bundle_id: bundle.bundleId, machine_id },
      headers: { authorization: `Bearer ${proofs[proof]}`, 'x-forwarded-for': peer },
    })
    return 'delivered'
  } catch (error) {
    return error instanceof CallError ? (error.code ?? `status ${error.status}`) : String(error)
  }
}
