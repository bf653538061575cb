import { sql } from 'kysely'
import { turn } from '../../domain/base/turns.ts'
import { EXPIRED_KNOWN_MS, type Missing, type RequestChange } from '../../domain/requests/request-store.ts'
import type { StoredRequest } from '../../domain/requests/stored-request.ts'
import { ask, send } from '../base/pipeline.ts'
import { preparedStatement } from '../base/prepared.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { answerOf, listedBy, parsedRequests, stateText } from './record.ts'
import { payloadHash, requestMacs, wholePayload } from './request-macs.ts'

/*
 * The statements of the table `requests`. A row has a version, which each change increases: so a change that read the
 * row before is one statement that finds the row only if nobody changed it in between.
 */

/** A request as its row has it. `text`: what was asked, as it is stored. */
export type RequestVersion = {
  stored: StoredRequest
  text: string
  version: number
  bytes: number
  payloadHash: string | null
}

type RequestRow = {
  id: string
  request: string
  state: string
  version: number
  payload_bytes: number
  expires_at_ms: number
  payload_hash: string | null
  mac: Uint8Array | null
}

const COLUMNS = [
  'id',
  'request',
  'state',
  'version',
  'payload_bytes',
  'expires_at_ms',
  'payload_hash',
  'mac',
] as const

/** What a change did to the live rows and to the bytes of their payloads. */
export type Moved = { live: number; bytes: number }

export type RequestRows = ReturnType<typeof requestRows>

export function requestRows({ query, lock, rowMacs }: Pick<Queries, 'query' | 'lock' | 'rowMacs'>) {
  const macs = requestMacs(rowMacs)
  const rowOf = (id: string) => selected(query).where('id', '=', id)
  const readRow = preparedStatement((value: (name: 'id') => string) => rowOf(value('id')))
  const readPayload = preparedStatement((value: (name: 'id') => string) =>
    rowOf(value('id')).select('payload'),
  )
  const lockRow = preparedStatement((value: (name: 'id') => string) =>
    rowOf(value('id')).select('payload').modifyEnd(lock),
  )
  const removal = preparedStatement((value: (name: 'id' | 'version') => string) =>
    query
      .deleteFrom('requests')
      .where('id', '=', value('id'))
      .where('version', '=', asNumber(value('version')))
      .returning('payload'),
  )
  const insertion = insertionFor(query)
  const forgetting = preparedStatement((value: (name: 'id') => string) =>
    query.deleteFrom('requests').where('id', '=', value('id')).returning('payload_bytes'),
  )
  const parsed = parsedRequests()
  const updating = { keep: updateFor(query, 'keep'), put: updateFor(query, 'put') }
  const statementOf = (found: RequestVersion, change: RequestChange<unknown>) => {
    const { version, text } = found
    const { request } = found.stored
    const { next } = change
    if (next === undefined) throw new Error('a change that changes nothing')
    if (next === 'removed') return removal({ id: request.id, version })
    const { approvers, waitsIn } = listedBy(request, next)
    const payload = payloadAfter(change)
    const hash = payload === undefined ? found.payloadHash : payloadHash(payload)
    const [state, expiresAtMs] = [stateText(next), next.expiresAtMs]
    const after = { id: request.id, request: text, state, version: version + 1, payload_hash: hash }
    const mac = macs.of({ ...after, expires_at_ms: expiresAtMs })
    const values = { id: request.id, version, state, expiresAtMs, approvers, waitsIn, mac }
    if (payload === undefined) return updating.keep({ ...values, payload: null, bytes: null, hash: null })
    return updating.put({ ...values, payload, bytes: payload?.length ?? 0, hash })
  }
  return {
    async find(id: string, by = query): Promise<RequestRow | undefined> {
      return (await ask(by, readRow({ id })))[0]
    },
    async findPayload(id: string) {
      const [row] = await ask(query, readPayload({ id }))
      if (row === undefined || row.payload === null) return row
      macs.require(row)
      return { ...row, payload: wholePayload(row.payload, row.payload_hash) }
    },
    /** The request of a row, if its lifetime has not ended.
     * @throws DomainError internal: no server wrote this row */
    foundIn(row: RequestRow | undefined, nowMs: number): RequestVersion | Missing {
      if (row === undefined || row.expires_at_ms <= nowMs - EXPIRED_KNOWN_MS) return 'unknown'
      if (row.expires_at_ms <= nowMs) return 'expired'
      macs.require(row)
      const { request: text, version, payload_bytes: bytes, payload_hash } = row
      return { stored: parsed(row), text, version, bytes, payloadHash: payload_hash }
    },
    /** @returns the epoch of the table; null: it has none yet */
    async insert(by: Query, row: NewRow): Promise<string | null> {
      const { id, request, state, expiresAtMs, payload } = row
      const hash = payloadHash(payload)
      const mac = macs.of({ id, request, state, version: 0, expires_at_ms: expiresAtMs, payload_hash: hash })
      const [inserted] = await ask(by, insertion({ ...row, hash, mac }))
      return inserted?.epoch ?? null
    },
    /** Delete a row in a transaction that need not know what it was. */
    async remove(transaction: Query, id: string): Promise<Moved> {
      const [row] = await ask(transaction, forgetting({ id }))
      return row === undefined ? { live: 0, bytes: 0 } : { live: -1, bytes: -row.payload_bytes }
    },
    /** Requests for this transaction alone, until it ends: locked in the order of their ids. */
    async locked(transaction: Query, which: (rows: SelectedRows) => SelectedRows): Promise<StoredRequest[]> {
      const rows = await ask(transaction, which(selected(transaction).orderBy('id')).modifyEnd(lock))
      return rows.filter(macs.isWhole).map(parsed)
    },
    /** Requests as a transaction sees them. */
    listed: async (transaction: Query, which: (rows: SelectedRows) => SelectedRows) =>
      (await ask(transaction, which(selected(transaction)))).filter(macs.isWhole).map(parsed),
    /** Some requests, the newest first. One can name thousands of values, so other calls run between them. */
    async newest(rows: SelectedRows, most: number): Promise<StoredRequest[]> {
      const found: StoredRequest[] = []
      for (const row of await rows.orderBy('expires_at_ms', 'desc').limit(most).execute()) {
        if (macs.isWhole(row)) found.push(parsed(row))
        await turn()
      }
      return found
    },
    /** The row for this transaction alone, until it ends. */
    async lockedRow(
      transaction: Query,
      id: string,
    ): Promise<(RequestRow & { payload: string | null }) | undefined> {
      return (await ask(transaction, lockRow({ id })))[0]
    },
    /** Write a change of the row that was found.
     * @returns null where another caller changed it in between */
    async write<Answer>(by: Query, found: RequestVersion, change: RequestChange<Answer>) {
      const [row] = await ask(by, statementOf(found, change))
      return row && { answer: answerWith(change, found, row.payload), moved: movedBy(found, change) }
    },
    /** As `write`, of a row that the transaction has locked: it does not wait for the answer. */
    async writeLocked<Answer>(
      transaction: Recorded,
      found: RequestVersion & { payload: string | null },
      change: RequestChange<Answer>,
    ) {
      await send(transaction, statementOf(found, change))
      return { answer: answerWith(change, found, found.payload), moved: movedBy(found, change) }
    },
  }
}

export type SelectedRows = ReturnType<typeof selected>

export function selected(query: Query) {
  return query.selectFrom('requests').select(COLUMNS)
}

type NewRow = Readonly<Record<'id' | 'request' | 'state', string>> &
  Readonly<Record<'payload' | 'deviceKey', string | null>> &
  Readonly<Record<'bytes' | 'expiresAtMs', number>>

type NewColumn = keyof NewRow | 'hash' | 'mac'

function insertionFor(query: Query) {
  return preparedStatement((value: (name: NewColumn) => string) =>
    query
      .insertInto('requests')
      .values({
        id: value('id'),
        request: value('request'),
        state: value('state'),
        version: 0,
        payload: value('payload'),
        payload_bytes: asNumber(value('bytes')),
        payload_hash: value('hash'),
        mac: asBytes(value('mac')),
        device_key: value('deviceKey'),
        approvers: '',
        waits_in: null,
        expires_at_ms: asNumber(value('expiresAtMs')),
      })
      .returning((as) => as.selectFrom('requests_epoch').select('requests_epoch.id').as('epoch')),
  )
}

function updateFor(query: Query, payload: 'keep' | 'put') {
  type Kept = 'id' | 'version' | 'state' | 'expiresAtMs' | 'approvers' | 'waitsIn' | 'mac'
  type Name = Kept | 'payload' | 'bytes' | 'hash'
  return preparedStatement((value: (name: Name) => string) =>
    query
      .updateTable('requests')
      .set((column) => ({
        state: value('state'),
        version: column('version', '+', 1),
        expires_at_ms: asNumber(value('expiresAtMs')),
        approvers: value('approvers'),
        waits_in: value('waitsIn'),
        mac: asBytes(value('mac')),
      }))
      .$if(payload === 'put', (update) =>
        update.set({
          payload: value('payload'),
          payload_bytes: asNumber(value('bytes')),
          payload_hash: value('hash'),
        }),
      )
      .where('id', '=', value('id'))
      .where('version', '=', asNumber(value('version')))
      .returning(payload === 'keep' ? 'payload' : sql<null>`null`.as('payload')),
  )
}

// The place of a value has the type of a text until the statement runs.
const asNumber = (place: string) => sql<number>`${place}`
const asBytes = (place: string) => sql<Uint8Array>`${place}`

function answerWith<Answer>(change: RequestChange<Answer>, found: RequestVersion, payload: string | null) {
  return answerOf(change, change.payload === 'read' ? (wholePayload(payload, found.payloadHash) ?? '') : '')
}

// Undefined: it stays.
function payloadAfter({ payload }: RequestChange<unknown>): string | null | undefined {
  if (payload === 'drop') return null
  return typeof payload === 'object' ? payload.put : undefined
}

function movedBy({ bytes }: RequestVersion, change: RequestChange<unknown>): Moved {
  if (change.next === 'removed') return { live: -1, bytes: -bytes }
  const payload = payloadAfter(change)
  return { live: 0, bytes: payload === undefined ? 0 : (payload?.length ?? 0) - bytes }
}
