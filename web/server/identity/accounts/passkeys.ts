import { ACCOUNT_TIMES } from '@keyferry/contract/accounts/limits'
import { CallError } from '@keyferry/contract/client'
import { PASSKEY_ALGORITHMS } from '@keyferry/crypto/passkey'
import type { PasskeyAddress } from '@keyferry/plumbing/passkey-address'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { serveOwn } from '../../http/own-endpoints.ts'
import { Refusal } from '../../http/refusal.ts'
import { headersToHandOn } from '../../http/request-headers.ts'
import { beginSession, type OwnAccountOptions, signedIn } from './own-account.ts'
import type { PasskeyChallenges } from './passkey-challenges.ts'

export type PasskeyOptions = OwnAccountOptions & {
  challenges: PasskeyChallenges
  /** null: passkeys do not work at our address. */
  address: PasskeyAddress | null
}

const SITE_NAME = 'Keyferry'

/** Routes that add a passkey to the own local account. */
export function addPasskeyRoutes(app: FastifyInstance, options: PasskeyOptions): void {
  const { challenges } = options
  serveOwn(app, 'beginPasskey', async ({ request, reply, body }) => {
    const { rpId } = required(options.address)
    const { session, headers, call } = await signedIn(options, request)
    const owner = await call('POST', '/api/v1/auth/passkeys/prepare', { body, headers })
    const challenge = challenges.begin(reply, { use: 'add', session: session.tokenHash })
    return newPasskeyOptions(owner, { challenge, rpId })
  })
  serveOwn(app, 'finishPasskey', async ({ request, reply, body: { name, passkey } }) => {
    const address = required(options.address)
    const { session, headers, call } = await signedIn(options, request)
    const challenge = await challenges.endAdding({ request, reply }, session.tokenHash)
    const body = { name, passkey, ceremony: ceremonyOf(address, challenge) }
    return await call('POST', '/api/v1/auth/passkeys', { body, headers })
  })
}

/** Routes that sign in with a passkey, alone or after the password. */
export function addPasskeySignIn(app: FastifyInstance, options: PasskeyOptions): void {
  const { api, sessions, challenges } = options
  serveOwn(app, 'beginPasskeySignIn', async ({ reply }) => {
    const { rpId } = required(options.address)
    const challenge = challenges.begin(reply, { use: 'alone' })
    return { ...requestOptions(challenge, rpId), userVerification: 'required' }
  })
  serveOwn(app, 'signInWithPasskey', async ({ body: { passkey }, ...exchange }) => {
    const address = required(options.address)
    const { challenge, userId } = await challenges.endSignIn(exchange)
    const body = { passkey, ceremony: ceremonyOf(address, challenge), user_id: userId }
    const headers = headersToHandOn(exchange.request)
    const account = await api.call('POST', '/api/v1/auth/passkey-login', { body, headers })
    return await beginSession(sessions, exchange, account)
  })
}

/** Whose passkey the API wants to see after the right password; null: it refused for another reason. */
export function askedForPasskeyOf(error: unknown): string | null {
  if (!(error instanceof CallError) || error.code !== 'passkey_required') return null
  const userId = error.details['user_id']
  return typeof userId === 'string' ? userId : null
}

/** Answer the right password with the wish for a passkey: a refusal whose details are what the browser needs for it.
 * @throws Refusal passkey_required: the account asks for a passkey, and passkeys do not work at our address */
export function askForPasskey(
  reply: FastifyReply,
  userId: string,
  { address, challenges }: PasskeyOptions,
): FastifyReply {
  if (address === null)
    throw new Refusal(
      403,
      'passkey_required',
      'this account asks for a passkey, and passkeys do not work at this address: ask your operator',
    )
  const challenge = challenges.begin(reply, { use: 'after-password', userId })
  const details = { ...requestOptions(challenge, address.rpId), userVerification: 'preferred' }
  return reply.code(403).send({ error: 'confirm with a passkey', code: 'passkey_required', details })
}

function required(address: PasskeyAddress | null): PasskeyAddress {
  if (address === null)
    throw new Refusal(409, 'conflict', 'passkeys do not work at the address of this server')
  return address
}

function ceremonyOf({ origin, rpId }: PasskeyAddress, challenge: string) {
  return { challenge, origin, rp_id: rpId }
}

function requestOptions(challenge: string, rpId: string) {
  return { challenge, rpId, timeout: ACCOUNT_TIMES.passkeyChallengeSeconds * 1_000 }
}

type PasskeyUser = { user_handle: string; user_name: string; exclude: string[] }

// A passkey that the authenticator itself can find, so that every passkey also signs in alone.
function newPasskeyOptions(owner: PasskeyUser, { challenge, rpId }: { challenge: string; rpId: string }) {
  const { user_handle: id, user_name: name, exclude } = owner
  const type = 'public-key' as const
  return {
    challenge,
    rp: { id: rpId, name: SITE_NAME },
    user: { id, name, displayName: name },
    pubKeyCredParams: PASSKEY_ALGORITHMS.map((alg) => ({ type, alg })),
    excludeCredentials: exclude.map((credential) => ({ type, id: credential })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    } as const,
    attestation: 'none' as const,
    timeout: ACCOUNT_TIMES.passkeyChallengeSeconds * 1_000,
  }
}
