import { setTimeout as sleep } from 'node:timers/promises'
import { LIMITS } from '@keyferry/contract'
import { randomVersion } from '@keyferry/crypto/token'
import { z } from 'zod'
import { unavailable } from '../domain/base/errors.ts'
import {
  type Change,
  DEVICE_REQUESTS,
  EXPIRED_KNOWN_MS,
  type Missing,
  type RequestStore,
  type Step,
  WAITING_REQUESTS,
} from '../domain/requests/request-store.ts'
import type { ApprovalRequest, RequestState, StoredRequest } from '../domain/requests/stored-request.ts'
import { Listeners } from './listeners.ts'
import { answerOf, listedBy, stateText, storedOf } from './record.ts'
import type { RedisConnection } from './redis-connection.ts'
import { PING, WRITE } from './redis-script.ts'

const ATTEMPTS = 6
const FIRST_PAUSE_MS = 4
const KNOWN_REQUESTS = 500

const Reply = z.tuple([z.enum(['done', 'lost', 'full'])]).rest(z.string())

/** `prefix` starts every key and the channel, so that several services can share one Redis. */
export type RedisRequestStoreOptions = {
  redis: RedisConnection
  prefix?: string
  maxLive?: number
  maxBoxBytes?: number
}

/** The request store that many processes share. A change reads the request, and one script writes what the step
 * decided, if no other process was faster. What this process read or wrote lately is not read again for a change: if
 * it is old by now, the script refuses it, and the change reads. Changes are published on one channel that every
 * process subscribes to. After a lost connection every listener is called, because it may have missed a message. */
export async function openRedisRequestStore({
  redis,
  prefix = 'keyferry:',
  maxLive = LIMITS.liveRequests,
  maxBoxBytes = LIMITS.waitingDepositBytes,
}: RedisRequestStoreOptions): Promise<RequestStore> {
  const listeners = new Listeners()
  const channel = `${prefix}requests`
  await redis.subscribe(
    channel,
    (id) => listeners.call(id),
    () => listeners.callAll(),
  )
  return new RedisRequestStore({ redis, prefix, maxLive, maxBoxBytes, channel, listeners })
}

type Parts = Required<RedisRequestStoreOptions> & { channel: string; listeners: Listeners }

type Versioned = { stored: StoredRequest; version: string }

/** `was` and `is`: versions; empty before an insert and after a removal. */
type Write = {
  request: ApprovalRequest
  state: RequestState
  was: string
  is: string
  payload: Change<unknown>['payload'] | { box: string }
}

class RedisRequestStore implements RequestStore {
  readonly #parts: Parts
  readonly #known = new Map<string, Versioned>()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async insert(stored: StoredRequest, box: string | null, nowMs: number): Promise<'done' | 'full'> {
    const { request } = stored
    const payload = box === null ? undefined : { box }
    const [outcome] = await this.#write(
      { request, state: stored, was: '', is: randomVersion(), payload },
      nowMs,
    )
    if (outcome === 'lost') throw new Error('the id of a request was given twice')
    return outcome
  }

  async read(id: string, nowMs: number): Promise<StoredRequest | Missing> {
    const found = await this.#find(id, nowMs)
    return typeof found === 'string' ? found : found.stored
  }

  async box(id: string, nowMs: number): Promise<string | null> {
    const [box = null, until] = await this.#fields(id, ['box', 'until'])
    return Number(until) > nowMs ? box : null
  }

  async change<Answer>(id: string, nowMs: number, step: Step<Answer>): Promise<Answer | Missing> {
    const made = await this.#changeKnown(id, nowMs, step)
    if (made !== 'lost') return made.answer
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) await sleep(Math.random() * FIRST_PAUSE_MS * 2 ** attempt)
      const found = await this.#find(id, nowMs)
      if (typeof found === 'string') return found
      const written = await this.#apply(found, step(found.stored, nowMs), nowMs)
      if (written !== 'lost') return written.answer
    }
    throw unavailable('request store', new Error('other writers were faster each time'))
  }

  ofDevice(deviceKey: string, nowMs: number): Promise<string[]> {
    return this.#newest(this.#key('device', deviceKey), nowMs, DEVICE_REQUESTS)
  }

  ofApprover(userId: string, nowMs: number): Promise<string[]> {
    return this.#listed(this.#key('approver', userId), nowMs)
  }

  waitingIn(tenantId: string, nowMs: number): Promise<string[]> {
    return this.#newest(this.#key('waiting', tenantId), nowMs, WAITING_REQUESTS)
  }

  live(nowMs: number): Promise<string[]> {
    return this.#listed(this.#key('live'), nowMs)
  }

  watch(id: string, listener: () => void): () => void {
    return this.#parts.listeners.watch(id, listener)
  }

  async ping(): Promise<void> {
    const options = { keys: [this.#key('ping')], arguments: [this.#parts.channel] }
    await this.#parts.redis.reply((client) => client.eval(PING, options))
  }

  async close(): Promise<void> {
    const { redis, channel } = this.#parts
    await redis.unsubscribe(channel)
  }

  async #changeKnown<Answer>(
    id: string,
    nowMs: number,
    step: Step<Answer>,
  ): Promise<{ answer: Answer } | 'lost'> {
    const known = this.#known.get(id)
    if (known === undefined || known.stored.expiresAtMs <= nowMs) return 'lost'
    const guess = step(known.stored, nowMs)
    return guess.next === undefined ? 'lost' : await this.#apply(known, guess, nowMs)
  }

  // No reply means that the change may have been made: `reply` throws, and nothing is tried again.
  async #apply<Answer>(
    { stored, version }: Versioned,
    change: Change<Answer>,
    nowMs: number,
  ): Promise<{ answer: Answer } | 'lost'> {
    if (change.next === undefined) return { answer: answerOf(change) }
    const [state, is] = change.next === 'removed' ? [stored, ''] : [change.next, randomVersion()]
    const write = { request: stored.request, state, was: version, is, payload: change.payload }
    this.#known.delete(stored.request.id)
    const [outcome, payload = ''] = await this.#write(write, nowMs)
    if (outcome === 'lost') return outcome
    if (is !== '') this.#keep({ stored: { ...state, request: stored.request }, version: is })
    return { answer: answerOf(change, payload) }
  }

  async #write({ request, state, was, is, payload }: Write, nowMs: number): Promise<z.infer<typeof Reply>> {
    const { redis, channel, maxLive, maxBoxBytes } = this.#parts
    const versions = [was, is, String(state.expiresAtMs), stateText(state)]
    const made = was === '' ? JSON.stringify(request) : ''
    const bounds = [maxLive, maxBoxBytes, EXPIRED_KNOWN_MS].map(String)
    const values = [
      String(nowMs),
      request.id,
      channel,
      ...versions,
      ...payloadArguments(payload),
      made,
      ...bounds,
    ]
    const keys = this.#keys(request, state)
    return Reply.parse(await redis.reply((client) => client.eval(WRITE, { keys, arguments: values })))
  }

  async #find(id: string, nowMs: number): Promise<Versioned | Missing> {
    const [version, until, request, state] = await this.#fields(id, ['v', 'until', 'r', 's'])
    if (version && request && state && Number(until) > nowMs)
      return this.#keep({ version, stored: storedOf({ request, state }) })
    const isRemembered = await this.#parts.redis.reply((client) => client.exists(this.#key('gone', id)))
    return isRemembered === 1 ? 'expired' : 'unknown'
  }

  #keep(found: Versioned): Versioned {
    if (this.#known.size >= KNOWN_REQUESTS) this.#known.clear()
    this.#known.set(found.stored.request.id, found)
    return found
  }

  #fields(id: string, fields: string[]): Promise<(string | null)[]> {
    return this.#parts.redis.reply((client) => client.hmGet(this.#key('request', id), fields))
  }

  #listed(key: string, nowMs: number): Promise<string[]> {
    return this.#parts.redis.reply((client) => client.zRangeByScore(key, `(${nowMs}`, '+inf'))
  }

  async #newest(key: string, nowMs: number, most: number): Promise<string[]> {
    return (await this.#listed(key, nowMs)).toReversed().slice(0, most)
  }

  #keys(request: ApprovalRequest, state: RequestState): string[] {
    const { deviceKey, approverId, firstApproverId, voucherId, waitsIn } = listedBy(request, state)
    const approvers = new Set([approverId, firstApproverId, voucherId].filter((id) => id !== null))
    return [
      this.#key('request', request.id),
      this.#key('live'),
      this.#key('boxes'),
      this.#key('gone', request.id),
      ...(deviceKey === null ? [] : [this.#key('device', deviceKey)]),
      ...[...approvers].map((id) => this.#key('approver', id)),
      ...(waitsIn === null ? [] : [this.#key('waiting', waitsIn)]),
    ]
  }

  // The braces are a hash tag: on a cluster, all keys of the store are in one slot, so one script can change them
  // together.
  #key(...path: string[]): string {
    return [`${this.#parts.prefix}{requests}`, ...path].join(':')
  }
}

function payloadArguments(payload: Write['payload']): [string, string] {
  if (payload === undefined) return ['keep', '']
  if (typeof payload === 'string') return [payload, '']
  return 'put' in payload ? ['put', payload.put] : ['box', payload.box]
}
