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
import type { SessionStore } from '../sessions/session-store.ts'
import { type ClerkEmail, primaryEmail } from './clerk/clerk-backend.ts'
import { idpUserId } from './idp-user-id.ts'

const MAX_EVENT_BYTES = 262_144
const TOLERANCE_SECONDS = 5 * 60

/** Remember an id for longer than its timestamp is accepted. */
const REPLAY_MS = 15 * 60 * 1_000

/** Smaller numbers are seconds: as milliseconds they would lie before 1974. */
const LEAST_MS = 100_000_000_000

const epochMs = (time: number) => (time < LEAST_MS ? time * 1_000 : time)

const Time = z
  .union([
    z.number().nonnegative().transform(epochMs),
    z.string().regex(/^\d+$/).transform(Number).transform(epochMs),
    z.iso.datetime({ offset: true }).transform(Date.parse),
  ])
  .nullish()
const Subject = z.string().min(1)

const AnyEvent = z.object({ type: z.string() })
const Deleted = z.object({ data: z.object({ id: Subject }) })
const Updated = z.object({
  timestamp: Time,
  data: z.looseObject({
    id: Subject,
    email: Email.nullish(),
    // Some providers send booleans as text.
    email_verified: z.union([z.boolean(), z.stringbool()]).nullish(),
    updated_at: Time,
  }),
})

export type IdentityEventsOptions = {
  /** `whsec_` and base64. */
  secret: string
  /** The provider whose subjects the events name; null if they are usable ids already. */
  issuer: string | null
  /** Whether the provider proves e-mail addresses. */
  provesEmail: boolean
  api: ApiConnection
  store: SessionStore
  now: () => number
}

/** Apply events of the identity provider: a changed e-mail address, a deleted user. Events are signed by Standard
 * Webhooks; the same headers named `svix-*` are accepted too. An event that was applied is not applied again. */
export function receiveIdentityEvents(app: FastifyInstance, options: IdentityEventsOptions): void {
  const { store, now } = options
  const webhook = new Webhook(options.secret)
  serveOwn(app, 'receiveIdentityEvent', async ({ request }) => {
    const headers = signatureHeaders(request)
    requireRecent(headers['webhook-timestamp'], now())
    const event = verified(webhook, await readBody(request, MAX_EVENT_BYTES), headers)
    const id = `event:${headers['webhook-id']}`
    if (await store.isUsed(id, now())) return { ok: true }
    const sentMs = Number(headers['webhook-timestamp']) * 1_000
    await apply(event, sentMs, { ...options, headers: callerHeaders(request) })
    await store.firstUse(id, now() + REPLAY_MS, now())
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

function verified(webhook: Webhook, body: Buffer, headers: SignatureHeaders): unknown {
  try {
    return webhook.verify(body, headers)
  } catch (cause) {
    throw new Refusal(401, 'unauthorized', 'Unauthorized', { cause })
  }
}

/** @throws Refusal invalid, naming the first field that is missing or unreadable */
function read<S extends z.ZodType>(schema: S, event: unknown): z.output<S> {
  const found = schema.safeParse(event)
  if (found.success) return found.data
  const field = found.error.issues[0]?.path.join('.') ?? ''
  const what = field === '' ? 'the event must be an object' : `the event's ${field} is missing or invalid`
  throw new Refusal(400, 'invalid', what)
}

type EventParts = IdentityEventsOptions & { headers: Record<string, string> }

async function apply(event: unknown, sentMs: number, options: EventParts): Promise<void> {
  const { type } = read(AnyEvent, event)
  if (type === 'user.deleted') return await forget(personOf(read(Deleted, event).data, options), options)
  if (type !== 'user.updated') return
  const { data, timestamp } = read(Updated, event)
  const email = emailOf(data)
  if (!email) return
  // A repeated delivery changes only the time in the header. A time in the future would outdate later events.
  const happenedMs = Math.min(
    data.updated_at ?? timestamp ?? sentMs,
    options.now() + TOLERANCE_SECONDS * 1_000,
  )
  const as_of = new Date(happenedMs).toISOString()
  const change = { email: email.address, email_verified: email.isVerified && options.provesEmail, as_of }
  await changeUser(personOf(data, options), change, options)
}

function personOf({ id }: { id: string }, { issuer }: EventParts): string {
  return issuer === null ? id : idpUserId(issuer, id)
}

function emailOf(data: z.output<typeof Updated>['data']): ClerkEmail | null {
  const { email: address, email_verified } = data
  return address ? { address, isVerified: email_verified === true } : primaryEmail(data)
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
