import { LIMITS } from '@keyferry/contract'
import { sql } from 'kysely'
import type { JoinedRequests } from '../../domain/approvals/together.ts'
import {
  type Change,
  DEVICE_REQUESTS,
  EXPIRED_KNOWN_MS,
  type Missing,
  type RequestStore,
  type Step,
  WAITING_REQUESTS,
} from '../../domain/requests/request-store.ts'
import { ApprovalRequest, type StoredRequest } from '../../domain/requests/stored-request.ts'
import type { Watched } from '../../domain/requests/waiting-room.ts'
import { ask } from '../base/pipeline.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { Lane } from './lane.ts'
import { answerOf, listedBy, spaced, stateText } from './record.ts'
import { RequestBound } from './request-bound.ts'
import { type Found, type Moved, type RequestRows, requestRows } from './request-rows.ts'

/** Wakes who waits for a request, on every node. */
export type RequestNotices = Watched & { tell(id: string): void }

export type RequestStoreOptions = { notices: RequestNotices; maxLive?: number; maxBytes?: number }

/** The requests in the database. */
export class Requests implements RequestStore {
  readonly #queries: Queries
  readonly #rows: RequestRows
  readonly #notices: RequestNotices
  readonly #bound: RequestBound
  // Anyone can ask.
  readonly #lane = new Lane({ atOnce: 4, mostWaiting: 2_000 })
  /** The rows of requests that callers have in their hands. */
  readonly #seen = new WeakMap<ApprovalRequest, Found>()

  constructor(queries: Queries, options: RequestStoreOptions) {
    const { notices, maxLive = LIMITS.liveRequests, maxBytes = LIMITS.waitingDepositBytes } = options
    this.#queries = queries
    this.#rows = requestRows(queries)
    this.#notices = notices
    this.#bound = new RequestBound({ maxLive, maxBytes, count: (nowMs) => this.#count(nowMs) })
  }

  async insert(stored: StoredRequest, box: string | null, nowMs: number): Promise<'done' | 'full'> {
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
    const insert = (query: Query) => this.#rows.insert(query, row)
    const add = () => this.#lane.run(() => this.#queries.single(insert))
    return (await this.#bound.adding(bytes, nowMs, add)) === null ? 'full' : 'done'
  }

  async read(id: string, nowMs: number): Promise<StoredRequest | Missing> {
    return storedIn(await this.#find(id, nowMs))
  }

  async box(id: string, nowMs: number): Promise<string | null> {
    const row = await this.#rows.findPayload(id)
    if (row === undefined || row.expires_at_ms <= nowMs) return null
    return ApprovalRequest.parse(JSON.parse(row.request)).deposit === null ? null : row.payload
  }

  async change<Answer>(
    id: string,
    nowMs: number,
    step: Step<Answer>,
    seen?: StoredRequest,
  ): Promise<Answer | Missing> {
    const known = seen && this.#seen.get(seen.request)
    const found = known ?? (await this.#find(id, nowMs))
    if (typeof found === 'string') return found
    const change = step(found.stored, nowMs)
    if (change.next === undefined) return known ? this.change(id, nowMs, step) : answerOf(change)
    const written = await this.#queries.single((query) => this.#rows.write(query, found, change))
    if (written) return this.#tell(id, written)
    return await this.joined((requests) => requests.change(id, nowMs, step))
  }

  /** Do some work with requests in one transaction. Who waits for a changed request is woken once it is committed. */
  async joined<T>(work: (requests: JoinedRequests, transaction: Recorded) => Promise<T>): Promise<T> {
    const moved = new Map<string, Moved>()
    const result = await this.#queries.write((transaction) => {
      moved.clear()
      const requests: JoinedRequests = {
        read: async (id, nowMs) =>
          storedIn(this.#rows.foundIn(await this.#rows.find(id, transaction), nowMs)),
        change: (id, nowMs, step, seen) => this.#changeIn({ transaction, moved }, { id, nowMs, seen }, step),
        remove: async (id) => {
          await this.#rows.remove(transaction, id)
          moved.set(id, { live: -1, bytes: 0 })
        },
        async waitingFrom({ tenantId, userId }, nowMs) {
          const listed = live(transaction, nowMs).where('waits_in', '=', tenantId)
          return idsOf(await ask(transaction, listed.where('approvers', 'like', `%${spaced([userId])}%`)))
        },
      }
      return work(requests, transaction)
    })
    for (const [id, each] of moved) this.#tell(id, { answer: undefined, moved: each })
    return result
  }

  async ofDevice(deviceKey: string, nowMs: number): Promise<string[]> {
    const listed = live(this.#queries.query, nowMs).where('device_key', '=', deviceKey)
    return idsOf(await listed.orderBy('expires_at_ms', 'desc').limit(DEVICE_REQUESTS).execute())
  }

  // A person who leaves is rare, so no index has the approvers.
  async ofApprover(userId: string, nowMs: number): Promise<string[]> {
    const listed = live(this.#queries.query, nowMs).where('approvers', 'like', `%${spaced([userId])}%`)
    return idsOf(await listed.execute())
  }

  waitingIn(tenantId: string, nowMs: number): Promise<string[]> {
    return waitingIn(this.#queries.query, tenantId, nowMs)
  }

  async live(nowMs: number): Promise<string[]> {
    return idsOf(await live(this.#queries.query, nowMs).execute())
  }

  watch(id: string, listener: () => void): () => void {
    return this.#notices.watch(id, listener)
  }

  /** Delete the contents of expired requests. Their ids stay for a while, so that a late caller learns that they
   * expired. */
  async sweep(nowMs: number): Promise<void> {
    const { single } = this.#queries
    const emptied = {
      request: '',
      state: '',
      payload: null,
      payload_bytes: 0,
      device_key: null,
      approvers: '',
      waits_in: null,
    }
    await single((query) =>
      query
        .deleteFrom('requests')
        .where('expires_at_ms', '<=', nowMs - EXPIRED_KNOWN_MS)
        .execute(),
    )
    await single((query) =>
      query
        .updateTable('requests')
        .set(emptied)
        .where('expires_at_ms', '<=', nowMs)
        .where('request', '<>', '')
        .execute(),
    )
  }

  async ping(): Promise<void> {
    await this.#queries.query.selectFrom('requests').select('id').limit(1).execute()
  }

  async close(): Promise<void> {}

  async #find(id: string, nowMs: number): Promise<Found | Missing> {
    const found = this.#rows.foundIn(await this.#rows.find(id), nowMs)
    if (typeof found !== 'string') this.#seen.set(found.stored.request, found)
    return found
  }

  async #changeIn<Answer>(
    { transaction, moved }: { transaction: Recorded; moved: Map<string, Moved> },
    { id, nowMs, seen }: { id: string; nowMs: number; seen: StoredRequest | undefined },
    step: Step<Answer>,
  ): Promise<Answer | Missing> {
    const known = seen && this.#seen.get(seen.request)
    const guess = known && step(known.stored, nowMs)
    if (known && guess?.next !== undefined) {
      const written = await this.#rows.write(transaction, known, guess)
      if (written) {
        moved.set(id, written.moved)
        return written.answer
      }
    }
    const row = await this.#rows.held(transaction, id)
    const found = this.#rows.foundIn(row, nowMs)
    if (typeof found === 'string') return found
    const change: Change<Answer> = step(found.stored, nowMs)
    if (change.next === undefined) return answerOf(change)
    const written = await this.#rows.writeHeld(
      transaction,
      { ...found, payload: row?.payload ?? null },
      change,
    )
    moved.set(id, written.moved)
    return written.answer
  }

  #tell<Answer>(id: string, { answer, moved }: { answer: Answer; moved: Moved }): Answer {
    this.#bound.note(moved.live, moved.bytes)
    this.#notices.tell(id)
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

function live(query: Query, nowMs: number) {
  return query.selectFrom('requests').select('id').where('expires_at_ms', '>', nowMs)
}

async function waitingIn(query: Query, tenantId: string, nowMs: number): Promise<string[]> {
  const listed = live(query, nowMs).where('waits_in', '=', tenantId)
  return idsOf(await listed.orderBy('expires_at_ms', 'desc').limit(WAITING_REQUESTS).execute())
}

const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)

const storedIn = (found: Found | Missing) => (typeof found === 'string' ? found : found.stored)
