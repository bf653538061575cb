import { Email } from '@keyferry/contract'
import { CallError } from '@keyferry/contract/client'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Webhook } from 'standardwebhooks'
import { z } from 'zod'
import { serveOwn } from '../http/own-endpoints.ts'
import { Refusal, unauthorized } from '../http/refusal.ts'
import { readBody } from '../http/request-body.ts'
import { callerHeaders } from '../http/request-headers.ts'
import type { ApiConnection } from '../internal-api/api-connection.ts'
import { doOnce, type SessionStore } from '../sessions/session-store.ts'
import { type ClerkEmail, primaryEmail } from './clerk/clerk-backend.ts'
import { idpUserId } from './idp-user-id.ts'

const MAX_EVENT_BYTES = 262_144
const TOLERANCE_SECONDS = 5 * 60

/** Remember an id for longer than its timestamp is accepted. */
const REPLAY_MS = 15 * 60 * 1_000

const IdentityEvent = z.object({
  type: z.string(),
  timestamp: z.union([z.iso.datetime({ offset: true }), z.number()]).optional(),
  data: z.looseObject({
    id: z.string().min(1),
    email: Email.optional(),
    email_verified: z.boolean().optional(),
    updated_at: z.number().optional(),
  }),
})

export type IdentityEventsOptions = {
  /** `whsec_` and base64. */
  secret: string
  /** The provider whose subjects the events name; null if they are usable ids already. */
  issuer: string | null
  api: ApiConnection
  store: SessionStore
  now: () => number
}

/** Apply events of the identity provider: a changed e-mail address, a deleted user. Events are signed by Standard
 * Webhooks; the same headers named `svix-*` are accepted too. */
export function receiveIdentityEvents(app: FastifyInstance, options: IdentityEventsOptions): void {
  const { store, now } = options
  const webhook = new Webhook(options.secret)
  serveOwn(app, 'receiveIdentityEvent', async ({ request }) => {
    const headers = signatureHeaders(request)
    requireRecent(headers['webhook-timestamp'], now())
    const event = verified(webhook, await readBody(request, MAX_EVENT_BYTES), headers)
    const use = { id: `event:${headers['webhook-id']}`, forMs: REPLAY_MS, nowMs: now() }
    const applying = { ...options, headers: callerHeaders(request) }
    const isFirst = await doOnce(store, use, () =>
      apply(event, asOf(event, headers['webhook-timestamp']), applying),
    )
    if (!isFirst) throw new Refusal(409, 'conflict', 'event received already')
    return { ok: true }
  })
}

type SignatureHeaders = Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>

function signatureHeaders({ headers }: FastifyRequest): SignatureHeaders {
  const value = (part: string) => {
    const text = headers[`webhook-${part}`] ?? headers[`svix-${part}`]
    if (typeof text !== 'string' || text === '') throw unauthorized()
    return text
  }
  return {
    'webhook-id': value('id'),
    'webhook-timestamp': value('timestamp'),
    'webhook-signature': value('signature'),
  }
}

function requireRecent(timestamp: string, nowMs: number): void {
  const isRecent =
    /^\d{1,12}$/.test(timestamp) && Math.abs(nowMs / 1_000 - Number(timestamp)) <= TOLERANCE_SECONDS
  if (!isRecent) throw unauthorized()
}

function verified(webhook: Webhook, body: Buffer, headers: SignatureHeaders): z.output<typeof IdentityEvent> {
  let payload: unknown
  try {
    payload = webhook.verify(body, headers)
  } catch (cause) {
    throw new Refusal(401, 'unauthorized', 'Unauthorized', { cause })
  }
  const event = IdentityEvent.safeParse(payload)
  if (!event.success) throw new Refusal(400, 'invalid', 'event must have a type and data.id')
  return event.data
}

type AnEvent = z.output<typeof IdentityEvent>

/** When the event happened. A repeated delivery changes only the time in the header. */
function asOf({ timestamp, data }: AnEvent, sentSeconds: string): string {
  return new Date(data.updated_at ?? timestamp ?? Number(sentSeconds) * 1_000).toISOString()
}

type EventParts = IdentityEventsOptions & { headers: Record<string, string> }

async function apply({ type, data }: AnEvent, as_of: string, options: EventParts): Promise<void> {
  const person = options.issuer === null ? data.id : idpUserId(options.issuer, data.id)
  if (type === 'user.deleted') return await forget(person, options)
  const email = emailOf(data)
  if (type !== 'user.updated' || !email) return
  const { address, isVerified } = email
  await changeUser(person, { email: address, email_verified: isVerified, as_of }, options)
}

function emailOf(data: AnEvent['data']): ClerkEmail | null {
  const { email: address, email_verified } = data
  return address === undefined ? primaryEmail(data) : { address, isVerified: email_verified === true }
}

// The order matters: once the user is inactive, their open sessions are useless.
async function forget(person: string, options: EventParts): Promise<void> {
  await changeUser(person, { is_active: false }, options)
  await options.store.removeAll({ idpUserId: person })
}

type IdentityChange = { email: string; email_verified: boolean; as_of: string } | { is_active: boolean }

// A person who never signed in here has no account to change.
async function changeUser(person: string, body: IdentityChange, { api, headers }: EventParts): Promise<void> {
  const call = { params: { idp_user_id: person }, body, headers }
  try {
    await api.call('PUT', '/api/v1/users/{idp_user_id}', call)
  } catch (error) {
    if (!(error instanceof CallError && error.status === 404)) throw error
  }
}
