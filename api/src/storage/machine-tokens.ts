import { LIMITS, TIMES } from '@keyferry/contract'
import { z } from 'zod'
import { type Event, type EventData, madeBy } from '../domain/event.ts'
import type { MachineToken } from '../domain/machine.ts'
import {
  type MachineTokenStore,
  type NewToken,
  type Rotation,
  secondsAfter,
} from '../domain/machine-token.ts'
import type { Stamp } from '../domain/stamp.ts'
import { tellExpiring } from './expiring-tokens.ts'
import { holdMachine, type MachineRef } from './machine-changes.ts'
import type { Queries, Query, Recorded } from './queries.ts'

export function createMachineTokenStore(queries: Queries): MachineTokenStore {
  const { write, record } = queries
  return {
    tellExpiring: (now) => tellExpiring(queries, now),
    insert: (tenantId, machineId, token) =>
      write((transaction) => insert({ transaction, record }, { tenantId, machineId, token })),
    rotate: (tenantId, place, rotation) =>
      write((transaction) => rotate({ transaction, record }, { tenantId, ...place, rotation })),
    end: (tenantId, place, stamp) =>
      write(async (transaction) => {
        const ended = await endWorking(transaction, { tenantId, ...place, at: stamp.at })
        if (!ended) return false
        await record(transaction, tokenEvent({ tenantId, ...ended }, 'token.ended', { stamp }))
        return true
      }),
    report: (tokenHash, report) =>
      write((transaction) => reported({ transaction, record }, { tokenHash, ...report })),
  }
}

const Networks = z.array(z.string())

/** The networks in a row's text. */
export function networksIn(text: string): string[] {
  return Networks.parse(JSON.parse(text))
}

type Insertion = { tenantId: string; machineId: string; token: NewToken & { stamp: Stamp } }

async function insert(
  { transaction, record }: Recorded,
  { tenantId, machineId, token }: Insertion,
): ReturnType<MachineTokenStore['insert']> {
  const machine = await holdMachine(transaction, tenantId, machineId)
  if (!machine) return 'absent'
  const { stamp, ...made } = token
  const working = await countWorking(transaction, { tenantId, machineId, at: stamp.at })
  if (working >= LIMITS.machineTokens) return 'full'
  await forgetOld(transaction, { tenantId, machineId, at: stamp.at })
  await insertRow(transaction, { tenantId, machineId, token: made, stamp })
  const { id, hint, networks, expires_at } = made
  const data = { networks, expires_at }
  await record(transaction, tokenEvent({ tenantId, machine, id, hint }, 'token.created', { stamp, data }))
  return 'done'
}

async function insertRow(
  transaction: Query,
  {
    tenantId,
    machineId,
    token,
    stamp,
  }: { tenantId: string; machineId: string; token: NewToken; stamp: Stamp },
): Promise<MachineToken> {
  const { id, hint, networks, expires_at, lifetimeSeconds, tokenHash } = token
  const made = { id, hint, expires_at, created_by: stamp.by, created_at: stamp.at }
  const row = { ...made, ended_at: null, last_used_at: null, last_used_ip: null }
  await transaction
    .insertInto('machine_tokens')
    .values({
      ...row,
      tenant_id: tenantId,
      machine_id: machineId,
      token_hash: tokenHash,
      networks: JSON.stringify(networks),
      lifetime_seconds: lifetimeSeconds,
      tell_at: tellAt(expires_at, lifetimeSeconds),
    })
    .execute()
  return { ...row, networks }
}

/** When to tell that a token expires: two weeks before, or halfway through a shorter life. */
function tellAt(expiresAt: string, lifetimeSeconds: number): string {
  return secondsAfter(expiresAt, -Math.min(TIMES.expiringSeconds, Math.floor(lifetimeSeconds / 2)))
}

type OfMachine = { tenantId: string; machineId: string; at: string }

async function countWorking(transaction: Query, { tenantId, machineId, at }: OfMachine): Promise<number> {
  const { total } = await transaction
    .selectFrom('machine_tokens')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('tenant_id', '=', tenantId)
    .where('machine_id', '=', machineId)
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
    .executeTakeFirstOrThrow()
  return total
}

/** How long a token that ended is listed. */
const LISTED_MS = 90 * 24 * 60 * 60 * 1_000

async function forgetOld(transaction: Query, { tenantId, machineId, at }: OfMachine): Promise<void> {
  const before = new Date(Date.parse(at) - LISTED_MS).toISOString()
  await transaction
    .deleteFrom('machine_tokens')
    .where('tenant_id', '=', tenantId)
    .where('machine_id', '=', machineId)
    .where((column) => column.or([column('ended_at', '<', before), column('expires_at', '<', before)]))
    .execute()
}

type Rotating = { tenantId: string; machineId: string; tokenId: string; rotation: Rotation }

async function rotate(
  { transaction, record }: Recorded,
  { tenantId, machineId, tokenId, rotation: { next, overlapSeconds, stamp } }: Rotating,
): ReturnType<MachineTokenStore['rotate']> {
  const at = stamp.at
  const old = await holdWorking(transaction, { tenantId, machineId, tokenId, at })
  const machine = old && (await holdMachine(transaction, tenantId, machineId))
  if (!machine) return { status: 'absent' }
  const count = await countWorking(transaction, { tenantId, machineId, at })
  if (count >= LIMITS.machineTokens) return { status: 'full' }
  const ends_at = await endAfter(transaction, old, { at, overlapSeconds })
  const networks = networksIn(old.networks)
  const lifetimeSeconds = old.lifetime_seconds
  const token = { ...next, networks, lifetimeSeconds, expires_at: secondsAfter(at, lifetimeSeconds) }
  const made = await insertRow(transaction, { tenantId, machineId, token, stamp })
  const data = { networks, expires_at: made.expires_at, ends_at, replaced_token: old.id }
  await record(transaction, tokenEvent({ tenantId, machine, ...next }, 'token.rotated', { stamp, data }))
  return { status: 'done', token: made }
}

// The token before the machine, in the order in which a delivery holds them: in another order, the two could deadlock.
async function holdWorking(transaction: Query, { tenantId, machineId, tokenId, at }: Ending) {
  return transaction
    .updateTable('machine_tokens')
    .set((column) => ({ hint: column.ref('hint') }))
    .where('tenant_id', '=', tenantId)
    .where('machine_id', '=', machineId)
    .where('id', '=', tokenId)
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
    .returningAll()
    .executeTakeFirst()
}

type WorkingToken = { tenant_id: string; id: string; expires_at: string }

/** Have a token work for the overlap only, or not at all. A token that expires before stays as it is.
 * @returns when it stops to work */
async function endAfter(
  transaction: Query,
  { tenant_id, id, expires_at }: WorkingToken,
  { at, overlapSeconds }: { at: string; overlapSeconds: number },
): Promise<string> {
  const after = secondsAfter(at, overlapSeconds)
  const endsAt = after < expires_at ? after : expires_at
  await transaction
    .updateTable('machine_tokens')
    .set(overlapSeconds === 0 ? { ended_at: at } : { expires_at: endsAt, tell_at: null })
    .where('tenant_id', '=', tenant_id)
    .where('id', '=', id)
    .execute()
  return endsAt
}

type Ending = { tenantId: string; machineId: string; tokenId: string; at: string }
type EndedToken = { machine: MachineRef; id: string; hint: string }

async function endWorking(
  transaction: Query,
  { tenantId, machineId, tokenId, at }: Ending,
): Promise<EndedToken | null> {
  const row = await transaction
    .updateTable('machine_tokens')
    .set({ ended_at: at })
    .where('tenant_id', '=', tenantId)
    .where('machine_id', '=', machineId)
    .where('id', '=', tokenId)
    .where('expires_at', '>', at)
    .where('ended_at', 'is', null)
    .returning(['id', 'hint'])
    .executeTakeFirst()
  if (!row) return null
  return { ...row, machine: await machineOf(transaction, tenantId, machineId) }
}

function machineOf(transaction: Query, tenantId: string, machineId: string): Promise<MachineRef> {
  return transaction
    .selectFrom('machines')
    .select(['id', 'name'])
    .where('tenant_id', '=', tenantId)
    .where('id', '=', machineId)
    .executeTakeFirstOrThrow()
}

type Report = { tokenHash: string } & Parameters<MachineTokenStore['report']>[1]

async function reported(
  { transaction, record }: Recorded,
  { tokenHash, at, origin, url }: Report,
): Promise<void> {
  const row = await transaction
    .selectFrom('machine_tokens')
    .select(['tenant_id', 'machine_id', 'id'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (!row) return
  const { tenant_id: tenantId, machine_id: machineId, id: tokenId } = row
  const ended = await endWorking(transaction, { tenantId, machineId, tokenId, at })
  if (!ended) return
  await record(transaction, {
    tenantId,
    action: 'token.reported',
    at,
    actor: { kind: 'client', id: null },
    target: { kind: 'machine', ...ended.machine },
    data: {
      token: tokenId,
      hint: ended.hint,
      ...(url === null ? {} : { url: url.slice(0, URL_CHARACTERS) }),
    },
    origin,
  })
}

/** What an event keeps of the place where a token was found. */
const URL_CHARACTERS = 500

type TokenOfEvent = { tenantId: string; machine: MachineRef; id: string; hint: string }

function tokenEvent(
  { tenantId, machine, id, hint }: TokenOfEvent,
  action: 'token.created' | 'token.rotated' | 'token.ended',
  { stamp, data = {} }: { stamp: Stamp; data?: EventData },
): Event {
  const { id: machineId, name } = machine
  const target = { kind: 'machine', id: machineId, name } as const
  return { tenantId, action, target, data: { token: id, hint, ...data }, ...madeBy(stamp) }
}
