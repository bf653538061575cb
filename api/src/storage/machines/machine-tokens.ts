import { madeByServer } from '../../domain/base/event.ts'
import type { Moment, Stamp } from '../../domain/base/stamp.ts'
import {
  type MachineTokenStore,
  type NewToken,
  type TokenPlace,
  tokenNotFound,
} from '../../domain/machines/machine-token.ts'
import type { Queries, Recorded } from '../base/queries.ts'
import { changing } from '../base/statements.ts'
import { selectOf, updateOf } from '../base/tenant-rows.ts'
import { machineEvent, requireMachine } from './machine-changes.ts'
import { endWorking, forgetOld, insertRow, requireRoom, rotate } from './machine-token-rows.ts'

export function createMachineTokenStore(queries: Queries): MachineTokenStore {
  return {
    recordExpiring: (now) => recordExpiring(queries, now),
    insert: changing(queries, insert),
    rotate: changing(queries, rotate),
    end: changing(queries, end),
    report: changing(queries, report),
  }
}

async function insert(transaction: Recorded, token: NewToken, stamp: Stamp): Promise<void> {
  const { id, machineId, hint, networks, expires_at } = token
  const machine = await requireMachine(transaction, stamp.tenantId, machineId)
  await requireRoom(transaction, machineId, stamp)
  await forgetOld(transaction, machineId, stamp)
  await insertRow(transaction, token, stamp)
  const data = { token: id, hint, networks, expires_at }
  transaction.record(machineEvent(machine, stamp, { action: 'token.created', data }))
}

async function end(transaction: Recorded, place: TokenPlace, stamp: Stamp): Promise<void> {
  const ended = await endWorking(transaction, place, stamp)
  if (!ended) throw tokenNotFound()
  const data = { token: place.tokenId, hint: ended.hint }
  transaction.record(machineEvent(ended.machine, stamp, { action: 'token.ended', data }))
}

/** What an event keeps of the address where a token was found. */
const URL_CHARACTERS = 500

async function report(
  transaction: Recorded,
  tokenHash: string,
  { at, origin, url }: Moment & { url: string | null },
): Promise<void> {
  const row = await transaction
    .selectFrom('machine_tokens')
    .select(['tenant_id as tenantId', 'machine_id as machineId', 'id as tokenId'])
    .where('token_hash', '=', tokenHash)
    .executeTakeFirst()
  const ended = row && (await endWorking(transaction, row, { ...row, at }))
  if (!ended) return
  const { tenantId, tokenId } = row
  const found = url === null ? {} : { url: url.slice(0, URL_CHARACTERS) }
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

const TOLD_AT_ONCE = 100

/** Record an event for each machine's token that expires soon, once for each token, whichever node looks first. */
async function recordExpiring(
  { query, write }: Pick<Queries, 'query' | 'write'>,
  now: string,
): Promise<void> {
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
