import { randomUUID } from 'node:crypto'
import { LIMITS } from '@keyferry/contract'
import { hashToken } from '@keyferry/crypto/token'
import { sql } from 'kysely'
import type { JoinedRequests } from '../../domain/approvals/together.ts'
import { goneError } from '../../domain/requests/request.ts'
import {
  DEVICE_REQUESTS,
  EXPIRED_KNOWN_MS,
  type Missing,
  type RequestChange,
  type RequestStep,
  type RequestStore,
  WAITING_REQUESTS,
} from '../../domain/requests/request-store.ts'
import { ApprovalRequest, approvalOf, type StoredRequest } from '../../domain/requests/stored-request.ts'
import type { Watchable } from '../../domain/requests/waiting-room.ts'
import { send } from '../base/pipeline.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { Lane } from './lane.ts'
import { answerOf, listedBy, spaced, stateText } from './record.ts'
import { RequestBound } from './request-bound.ts'
import {
  type Moved,
  type RequestRows,
  type RequestVersion,
  requestRows,
  type SelectedRows,
  selected,
} from './request-rows.ts'

/** How many expired requests one transaction ends. */
const EXPIRED_AT_ONCE = 100

/** Wakes who waits for a request, on every node. */
export type ChangeListeners = Watchable & { notify(id: string): void }

export type RequestStoreOptions = { notices: ChangeListeners; maxLive?: number; maxBytes?: number }

/** The requests in the database. */
export class Requests implements RequestStore {
  readonly #queries: Queries
  readonly #rows: RequestRows
  readonly #notices: ChangeListeners
  readonly #bound: RequestBound
  // Anyone can ask.
  readonly #lane = new Lane({ atOnce: 4, mostWaiting: 2_000 })
  readonly #reading = new Lane({ atOnce: 4, mostWaiting: 2_000 })

  constructor(queries: Queries, options: RequestStoreOptions) {
    const { notices, maxLive = LIMITS.liveRequests, maxBytes = LIMITS.waitingDepositBytes } = options
    this.#queries = queries
    this.#rows = requestRows(queries)
    this.#notices = notices
    this.#bound = new RequestBound({ maxLive, maxBytes, count: (nowMs) => this.#count(nowMs) })
  }

  async insert(stored: StoredRequest, box: string | null, nowMs: number): Promise<string | null> {
    const { request, expiresAtMs } = stored
    const bytes = box?.length ?? 0
    const row = {
      id: request.id,
      request: JSON.stringify(request),
      state: stateText(stored),
      payload: box,
      bytes,
      deviceKey: listedBy(request, stored).deviceKey,
      expiresAtMs,
    }
    const insert = () => this.#queries.single((query) => this.#rows.insert(query, row))
    const add = () => this.#lane.run(async () => (await insert()) ?? (await this.#newEpoch()))
    return await this.#bound.adding(bytes, nowMs, add)
  }

  async isLost(id: string, epoch: string): Promise<boolean> {
    const { query } = this.#queries
    const ended = query.selectFrom('ended_requests').where('request_hash', '=', hashToken(id))
    const now = query.selectFrom('requests_epoch').where('id', '=', epoch)
    const known = ended.select('request_hash as text').union(now.select('id as text'))
    return (await this.#reading.run(() => known.execute())).length === 0
  }

  async read(
    id: string,
    nowMs: number,
    by: 'person' | 'stranger' = 'person',
  ): Promise<StoredRequest | Missing> {
    const find = async () => this.#rows.foundIn(await this.#rows.find(id), nowMs)
    return storedIn(await (by === 'person' ? find() : this.#reading.run(find)))
  }

  async box(id: string, nowMs: number): Promise<string | null> {
    const row = await this.#rows.findPayload(id)
    if (row === undefined || row.expires_at_ms <= nowMs) return null
    return ApprovalRequest.parse(JSON.parse(row.request)).deposit === null ? null : row.payload
  }

  async change<Answer>(id: string, nowMs: number, step: RequestStep<Answer>): Promise<Answer> {
    const found = this.#rows.foundIn(await this.#rows.find(id), nowMs)
    if (typeof found === 'string') throw goneError(found)
    const change = step(found.stored, nowMs)
    if (change.next === undefined) return answerOf(change)
    const written = isEnd(change)
      ? undefined
      : await this.#queries.single((query) => this.#rows.write(query, found, change))
    if (written) return this.#notify(id, written)
    return await this.joined((requests) => requests.change(id, nowMs, step))
  }

  /** Do some work with requests in one transaction. Who waits for a changed request is woken once it is committed. */
  async joined<T>(work: (requests: JoinedRequests, transaction: Recorded) => Promise<T>): Promise<T> {
    const moved = new Map<string, Moved>()
    const result = await this.#queries.write((transaction) => {
      moved.clear()
      return work(this.#requestsIn(transaction, moved), transaction)
    })
    for (const [id, each] of moved) this.#notify(id, { answer: undefined, moved: each })
    return result
  }

  #requestsIn(transaction: Recorded, moved: Map<string, Moved>): JoinedRequests {
    const rows = this.#rows
    const { skipLocked } = this.#queries
    const remove = async (id: string) => {
      moved.set(id, await rows.remove(transaction, id))
    }
    return {
      change: (id, nowMs, step) => this.#changeIn({ transaction, moved }, { id, nowMs }, step),
      remove,
      waitingFrom: ({ tenantId, userId }, nowMs) =>
        rows.locked(transaction, (all) =>
          approvedBy(all, userId).where('waits_in', '=', tenantId).where('expires_at_ms', '>', nowMs),
        ),
      waitingIn: (tenantId, nowMs) =>
        rows.listed(transaction, (all) =>
          all.where('waits_in', '=', tenantId).where('expires_at_ms', '>', nowMs),
        ),
      ofApprover: (userId, nowMs) =>
        rows.locked(transaction, (all) => approvedBy(all, userId).where('expires_at_ms', '>', nowMs)),
      approvedIn: (tenantId, nowMs) =>
        rows.locked(transaction, (all) =>
          all
            .where('approvers', '<>', '')
            .where('state', 'like', `%${tenantId}%`)
            .where('expires_at_ms', '>', nowMs),
        ),
      takeExpired: async (nowMs) => {
        const overdue = transaction.selectFrom('requests').select('id').where('expires_at_ms', '<=', nowMs)
        const some = overdue.where('approvers', '<>', '').orderBy('id').limit(EXPIRED_AT_ONCE)
        const ids = (await some.modifyEnd(skipLocked).execute()).map(({ id }) => id)
        if (ids.length === 0) return []
        const expired = await rows.locked(transaction, (all) => all.where('id', 'in', ids))
        // Also rows that no server wrote: otherwise they would fill every batch.
        await emptied(transaction).where('id', 'in', ids).execute()
        return expired
      },
      removeOf: async ({ id, names }, nowMs) => {
        const all = await rows.locked(transaction, (each) => each.where('expires_at_ms', '>', nowMs))
        const theirs = all.filter((stored) => belongsTo(stored, id, names))
        for (const { request } of theirs) await remove(request.id)
        return theirs.length
      },
    }
  }

  async ofDevice(deviceKey: string, nowMs: number): Promise<StoredRequest[]> {
    const listed = live(this.#queries.query, nowMs).where('device_key', '=', deviceKey)
    return await this.#rows.newest(listed, DEVICE_REQUESTS)
  }

  async waitingIn(tenantId: string, nowMs: number): Promise<StoredRequest[]> {
    const listed = live(this.#queries.query, nowMs).where('waits_in', '=', tenantId)
    return await this.#rows.newest(listed, WAITING_REQUESTS)
  }

  watch(id: string, listener: () => void): () => void {
    return this.#notices.watch(id, listener)
  }

  /** Delete the contents of expired requests. Their ids stay for a while, so that a late caller learns that they
   * expired. Those with an approval are left to `takeExpired`. */
  async sweep(nowMs: number): Promise<void> {
    const { single } = this.#queries
    await single((query) =>
      query
        .deleteFrom('requests')
        .where('expires_at_ms', '<=', nowMs - EXPIRED_KNOWN_MS)
        .execute(),
    )
    await single((query) => query.deleteFrom('ended_requests').where('expires_at_ms', '<=', nowMs).execute())
    await single((query) =>
      emptied(query).where('expires_at_ms', '<=', nowMs).where('approvers', '=', '').execute(),
    )
  }

  async ping(): Promise<void> {
    await this.#queries.query.selectFrom('requests').select('id').limit(1).execute()
  }

  // Another insertion may be faster.
  async #newEpoch(): Promise<string> {
    const { query, single } = this.#queries
    const made = { slot: 1, id: randomUUID() }
    await single((by) =>
      by
        .insertInto('requests_epoch')
        .values(made)
        .onConflict((other) => other.doNothing())
        .execute(),
    )
    return (await query.selectFrom('requests_epoch').select('id').executeTakeFirstOrThrow()).id
  }

  async #changeIn<Answer>(
    { transaction, moved }: { transaction: Recorded; moved: Map<string, Moved> },
    { id, nowMs }: { id: string; nowMs: number },
    step: RequestStep<Answer>,
  ): Promise<Answer> {
    const row = await this.#rows.lockedRow(transaction, id)
    const found = this.#rows.foundIn(row, nowMs)
    if (typeof found === 'string') throw goneError(found)
    const change: RequestChange<Answer> = step(found.stored, nowMs)
    if (change.next === undefined) return answerOf(change)
    const locked = { ...found, payload: row?.payload ?? null }
    const written = await this.#rows.writeLocked(transaction, locked, change)
    if (isEnd(change)) await noteEnd(transaction, found.stored)
    moved.set(id, written.moved)
    return written.answer
  }

  #notify<Answer>(id: string, { answer, moved }: { answer: Answer; moved: Moved }): Answer {
    this.#bound.note(moved.live, moved.bytes)
    this.#notices.notify(id)
    return answer
  }

  async #count(nowMs: number): Promise<{ live: number; bytes: number }> {
    const counted = live(this.#queries.query, nowMs).clearSelect()
    return await counted
      .select(({ fn }) => [
        fn.countAll<number>().as('live'),
        fn.coalesce(fn.sum<number>('payload_bytes'), sql.lit(0)).as('bytes'),
      ])
      .executeTakeFirstOrThrow()
  }
}

function live(query: Query, nowMs: number): SelectedRows {
  return selected(query).where('expires_at_ms', '>', nowMs)
}

function isEnd({ next }: RequestChange<unknown>): boolean {
  return typeof next === 'object' && next.status === 'ended'
}

async function noteEnd(transaction: Query, { request, expiresAtMs }: StoredRequest): Promise<void> {
  const ended = { request_hash: hashToken(request.id), expires_at_ms: expiresAtMs }
  await send(transaction, transaction.insertInto('ended_requests').values(ended))
}

// A person who leaves is rare, so no index has the approvers.
function approvedBy(rows: SelectedRows, userId: string): SelectedRows {
  return rows.where('approvers', 'like', `%${spaced([userId])}%`)
}

function emptied(query: Query) {
  return query
    .updateTable('requests')
    .set({
      request: '',
      state: '',
      payload: null,
      payload_bytes: 0,
      device_key: null,
      approvers: '',
      waits_in: null,
    })
    .where('request', '<>', '')
}

function belongsTo(stored: StoredRequest, tenantId: string, names: readonly string[]): boolean {
  const { first, vouch, request } = stored
  const approved = approvalOf(stored)?.approved
  const tenants = [approved?.tenant.id, first?.tenantId, vouch?.tenantId].filter((id) => id !== undefined)
  return (
    tenants.includes(tenantId) || (tenants.length === 0 && names.includes(request.suggestedWorkspace ?? ''))
  )
}

const storedIn = (found: RequestVersion | Missing) => (typeof found === 'string' ? found : found.stored)
