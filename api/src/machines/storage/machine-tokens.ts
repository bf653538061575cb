import { makeMachineToken, tokenHint } from '@keyferry/crypto/machine-token'
import { hashToken } from '@keyferry/crypto/token'
import { type ClockAndIds, timestamp } from '../../domain/base/clock-and-ids.ts'
import { madeByServer } from '../../domain/base/event.ts'
import { parseNetworks } from '../../domain/base/network.ts'
import { type Moment, type Stamp, stampOf } from '../../domain/base/stamp.ts'
import type { Caller } from '../../domain/people/membership.ts'
import type { Queries, Query, Recorded } from '../../storage/base/queries.ts'
import { countOf, deleteOf, selectOf, updateOf } from '../../storage/base/tenant-rows.ts'
import { type MachineToken, requireRoomFor } from '../domain/machine.ts'
import { requireTokens, rotationOf, secondsAfter, tokenNotFound } from '../domain/machine-token.ts'
import {
  lockMachine,
  type MachineParts,
  type MachineRef,
  machineEvent,
  networksIn,
  requireMachine,
} from './machine-changes.ts'

type NewToken = Pick<MachineToken, 'id' | 'hint' | 'networks' | 'expires_at'> & {
  machineId: string
  tokenHash: string
  lifetimeSeconds: number
}

type TokenPlace = { machineId: string; tokenId: string }

/** The only form in which a token itself leaves the server. */
type CreatedToken = { id: string; token: string; hint: string; expires_at: string }

const DAY_SECONDS = 24 * 60 * 60

/** @throws DomainError tokens_off · invalid (networks) · not_found (the machine) · conflict (too many tokens) */
export async function createToken(
  parts: MachineParts,
  caller: Caller,
  { machineId, ...draft }: { machineId: string; expiresInDays: number; networks: readonly string[] },
): Promise<CreatedToken> {
  requireTokens(parts)
  const { queries, clock } = parts
  const stamp = stampOf(caller, clock)
  const networks = parseNetworks(draft.networks)
  const { token, ...made } = newToken(clock)
  const { id, hint } = made
  const lifetimeSeconds = draft.expiresInDays * DAY_SECONDS
  const expires_at = timestamp(clock, lifetimeSeconds)
  await queries.write(async (transaction) => {
    const machine = await requireMachine(transaction, stamp.tenantId, machineId)
    await requireRoom(transaction, machineId, stamp)
    await forgetOld(transaction, machineId, stamp)
    await insertRow(transaction, { ...made, machineId, networks, lifetimeSeconds, expires_at }, stamp)
    const data = { token: id, hint, networks, expires_at }
    transaction.record(machineEvent(machine, stamp, { action: 'token.created', data }))
  })
  return { id, token, hint, expires_at }
}

/** Make a second token with the networks and the lifetime of a token that works, and end that one after the overlap.
 * @throws DomainError tokens_off · not_found (no such token that works) · conflict (too many tokens) */
export async function rotateToken(
  parts: MachineParts,
  caller: Caller,
  { overlapSeconds, ...place }: TokenPlace & { overlapSeconds: number },
): Promise<CreatedToken> {
  requireTokens(parts)
  const { queries, clock } = parts
  const stamp = stampOf(caller, clock)
  const { tenantId, at } = stamp
  const { machineId } = place
  const { token, ...next } = newToken(clock)
  const { id, hint } = next
  return await queries.write(async (transaction) => {
    const old = await lockWorking(transaction, place, stamp)
    const machine = old && (await lockMachine(transaction, tenantId, machineId))
    if (!machine) throw tokenNotFound()
    await requireRoom(transaction, machineId, stamp)
    const ends_at = await endAfter(transaction, old, { at, overlapSeconds })
    const networks = networksIn(old.networks)
    const lifetimeSeconds = old.lifetime_seconds
    const expires_at = secondsAfter(at, lifetimeSeconds)
    await insertRow(transaction, { ...next, machineId, networks, lifetimeSeconds, expires_at }, stamp)
    const data = { token: id, hint, networks, expires_at, ends_at, replaced_token: old.id }
    transaction.record(machineEvent(machine, stamp, { action: 'token.rotated', data }))
    return { id, token, hint, expires_at }
  })
}

/** End a token now.
 * @throws DomainError not_found: none that works */
export async function endToken(
  { queries, clock }: MachineParts,
  caller: Caller,
  place: TokenPlace,
): Promise<void> {
  const stamp = stampOf(caller, clock)
  await queries.write(async (transaction) => {
    const ended = await endWorking(transaction, place, stamp)
    if (!ended) throw tokenNotFound()
    const data = { token: place.tokenId, hint: ended.hint }
    transaction.record(machineEvent(ended.machine, stamp, { action: 'token.ended', data }))
  })
}

/** What an event keeps of the address where a token was found. */
const URL_CHARACTERS = 500

/** End the tokens among these texts, for an anonymous reporter. Does not reveal which texts were tokens. */
export async function reportTokens(
  { queries, clock }: MachineParts,
  reports: readonly { token: string; url?: string | undefined }[],
  origin: Moment['origin'],
): Promise<void> {
  for (const { token, url } of reports)
    await queries.write((transaction) => report(transaction, token, { at: timestamp(clock), origin, url }))
}

async function report(
  transaction: Recorded,
  token: string,
  { at, origin, url }: Moment & { url: string | undefined },
): Promise<void> {
  const row = await transaction
    .selectFrom('machine_tokens')
    .select(['tenant_id as tenantId', 'machine_id as machineId', 'id as tokenId'])
    .where('token_hash', '=', hashToken(token))
    .executeTakeFirst()
  const ended = row && (await endWorking(transaction, row, { ...row, at }))
  if (!ended) return
  const { tenantId, tokenId } = row
  const found = url === undefined ? {} : { url: url.slice(0, URL_CHARACTERS) }
  transaction.record({
    tenantId,
    action: 'token.reported',
    at,
    actor: { kind: 'client', id: null },
    target: { kind: 'machine', ...ended.machine },
    data: { token: tokenId, hint: ended.hint, ...found },
    origin,
  })
}

function newToken(clock: ClockAndIds) {
  const token = makeMachineToken()
  return { id: clock.newId(), token, hint: tokenHint(token), tokenHash: hashToken(token) }
}

/** Add a token; an event is recorded when it should be rotated. */
async function insertRow(transaction: Query, token: NewToken, stamp: Stamp): Promise<void> {
  const { id, hint, networks, expires_at, lifetimeSeconds } = token
  await transaction
    .insertInto('machine_tokens')
    .values({
      id,
      hint,
      tenant_id: stamp.tenantId,
      machine_id: token.machineId,
      token_hash: token.tokenHash,
      networks: JSON.stringify(networks),
      created_by: stamp.by,
      created_at: stamp.at,
      lifetime_seconds: lifetimeSeconds,
      expires_at,
      tell_at: rotationOf(expires_at, lifetimeSeconds),
      ended_at: null,
      last_used_at: null,
      last_used_ip: null,
    })
    .execute()
}

/** @throws DomainError conflict: the machine already has the maximum number of active tokens */
async function requireRoom(transaction: Query, machineId: string, { tenantId, at }: Stamp): Promise<void> {
  const working = selectOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId })
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
  requireRoomFor('tokens', await countOf(working))
}

/** How long a token that ended is listed. */
const LISTED_SECONDS = 90 * 24 * 60 * 60

/** Remove the tokens that ended so long ago that they are not listed. */
async function forgetOld(transaction: Query, machineId: string, { tenantId, at }: Stamp): Promise<void> {
  const before = secondsAfter(at, -LISTED_SECONDS)
  await deleteOf(transaction, 'machine_tokens', { tenantId, machine_id: machineId })
    .where((column) => column.or([column('ended_at', '<', before), column('expires_at', '<', before)]))
    .execute()
}

/** End a token at once.
 * @returns its machine and its hint; null when no such token works */
async function endWorking(
  transaction: Query,
  { machineId, tokenId }: TokenPlace,
  { tenantId, at }: Pick<Stamp, 'tenantId' | 'at'>,
): Promise<{ machine: MachineRef; hint: string } | null> {
  const row = await updateOf(transaction, 'machine_tokens', { tenantId, id: tokenId, machine_id: machineId })
    .set({ ended_at: at })
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
    .returning('hint')
    .executeTakeFirst()
  if (!row) return null
  const machine = await selectOf(transaction, 'machines', { tenantId, id: machineId })
    .select(['id', 'name'])
    .executeTakeFirstOrThrow()
  return { ...row, machine }
}

// The token before the machine, in the order in which a delivery locks them: in another order, the two could deadlock.
function lockWorking(transaction: Query, { machineId, tokenId }: TokenPlace, { tenantId, at }: Stamp) {
  return updateOf(transaction, 'machine_tokens', { tenantId, id: tokenId, machine_id: machineId })
    .set((column) => ({ hint: column.ref('hint') }))
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

/** Let a token work for the overlap only, or end it. A token that expires earlier stays as it is.
 * @returns when it stops working */
async function endAfter(
  transaction: Query,
  { tenant_id, id, expires_at }: { tenant_id: string; id: string; expires_at: string },
  { at, overlapSeconds }: { at: string; overlapSeconds: number },
): Promise<string> {
  const after = secondsAfter(at, overlapSeconds)
  const endsAt = after < expires_at ? after : expires_at
  await updateOf(transaction, 'machine_tokens', { tenantId: tenant_id, id })
    .set(overlapSeconds === 0 ? { ended_at: at } : { expires_at: endsAt, tell_at: null })
    .execute()
  return endsAt
}

const TOLD_AT_ONCE = 100

/** Record an event for each token that expires soon, once for each token, whichever node looks first. */
export async function recordExpiring({ query, write }: Queries, now: string): Promise<void> {
  const due = await query
    .selectFrom('machine_tokens')
    .select(['tenant_id', 'id'])
    .where('tell_at', '<=', now)
    .orderBy('tell_at')
    .limit(TOLD_AT_ONCE)
    .execute()
  for (const token of due) await write((transaction) => announce(transaction, token, now))
}

async function announce(
  transaction: Recorded,
  { tenant_id, id }: { tenant_id: string; id: string },
  now: string,
): Promise<void> {
  const token = await updateOf(transaction, 'machine_tokens', { tenantId: tenant_id, id })
    .set({ tell_at: null })
    .where('tell_at', 'is not', null)
    .returning(['machine_id', 'hint', 'expires_at', 'ended_at'])
    .executeTakeFirst()
  if (!token || token.ended_at !== null || token.expires_at <= now) return
  const machine = await selectOf(transaction, 'machines', { tenantId: tenant_id, id: token.machine_id })
    .select(['id', 'name'])
    .executeTakeFirstOrThrow()
  transaction.record({
    ...madeByServer(now),
    tenantId: tenant_id,
    action: 'token.expiring',
    target: { kind: 'machine', ...machine },
    data: { token: id, hint: token.hint, expires_at: token.expires_at },
  })
}
