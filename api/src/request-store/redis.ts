import { LIMITS, type WhyNotCode } from '@keyferry/contract'
import { z } from 'zod'
import {
  type Claim,
  DEVICE_REQUESTS,
  type DepositStep,
  EXPIRED_KNOWN_MS,
  type FreshCode,
  type Released,
  type RequestStore,
  type Settled,
  type Step,
} from '../domain/request-store.ts'
import { AppliedDeposit } from '../domain/stored-deposit.ts'
import { type ApprovalRequest, type StoredRequest, sealingIn, sealingText } from '../domain/stored-request.ts'
import { Bell } from './bell.ts'
import type { RedisConnection } from './redis-connection.ts'
import { approvalFields, depositFields, storedRequest } from './redis-fields.ts'
import * as scripts from './redis-scripts.ts'

const SettledReply = z.enum(['done', 'changed', 'held', 'ready', 'denied', 'withdrawn', 'gone'])
const ClaimReply = z.union([
  z.tuple([z.literal('claimed'), z.string(), z.string(), z.string()]),
  z.tuple([z.enum(['pending', 'held', 'taken', 'denied', 'withdrawn', 'gone'])]),
])
const ReleaseReply = z.union([
  z.tuple([z.literal('wrong'), z.number()]),
  z.tuple([z.enum(['released', 'late', 'not_held', 'denied', 'withdrawn', 'gone'])]),
])

/** `prefix` starts every key and the channel, so that several services can share one Redis. */
export type RedisRequestStoreOptions = {
  redis: RedisConnection
  prefix?: string
  maxLive?: number
  maxBoxBytes?: number
}

/** The request store that many processes share. Each step is one script. Changes are published on one channel that every
 * process subscribes to. After a lost connection every listener is called, because it may have missed a message. */
export async function openRedisRequestStore({
  redis,
  prefix = 'keyferry:',
  maxLive = LIMITS.liveRequests,
  maxBoxBytes = LIMITS.waitingDepositBytes,
}: RedisRequestStoreOptions): Promise<RequestStore> {
  const bell = new Bell()
  const channel = `${prefix}requests`
  await redis.subscriber.subscribe(channel, (id) => bell.ring(id))
  for (const client of [redis.subscriber, redis.commands]) {
    client.on('ready', () => {
      // A listener reads the store, which needs the other connection as well.
      if (redis.subscriber.isReady && redis.commands.isReady) bell.ringAll()
    })
  }
  return new RedisRequestStore({ redis, prefix, maxLive, maxBoxBytes, channel, bell })
}

type Parts = Required<RedisRequestStoreOptions> & { channel: string; bell: Bell }

class RedisRequestStore implements RequestStore {
  readonly #parts: Parts

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async create(request: ApprovalRequest, nowMs: number, box = ''): Promise<boolean> {
    const { id, expiresAtMs } = request
    const rest = [
      JSON.stringify(request),
      String(expiresAtMs),
      String(this.#parts.maxLive),
      String(EXPIRED_KNOWN_MS),
      box,
      String(this.#parts.maxBoxBytes),
    ]
    const { redis, channel } = this.#parts
    const ofDevice = request.together && request.deviceKey !== null ? [this.#ofDevice(request.deviceKey)] : []
    const keys = [...this.#keys(id), ...ofDevice]
    const values = [String(nowMs), channel, id, ...rest]
    return (
      (await redis.reply((client) => client.eval(scripts.CREATE, { keys, arguments: values }))) === 'done'
    )
  }

  async find(id: string, nowMs: number): Promise<StoredRequest | null> {
    return storedRequest(await this.#run(scripts.FIND, id, nowMs))
  }

  async ofDevice(deviceKey: string, nowMs: number): Promise<StoredRequest[]> {
    const newest = { REV: true } as const
    const ids = await this.#parts.redis.reply((client) =>
      client.zRange(this.#ofDevice(deviceKey), 0, DEVICE_REQUESTS - 1, newest),
    )
    const found = await Promise.all(ids.map((id) => this.find(id, nowMs)))
    return found.flatMap((stored) => (stored?.status === 'pending' ? [stored] : []))
  }

  async hasExpired(id: string, nowMs: number): Promise<boolean> {
    return (await this.#run(scripts.HAS_EXPIRED, id, nowMs)) === 1
  }

  async approve(id: string, step: Step, nowMs: number): Promise<Settled> {
    const { redis, channel } = this.#parts
    const keys = [this.#key(id), ...(step.by === null ? [] : [this.#approvedBy(step.by.approverId)])]
    const next = step.hold ? 'held' : step.sealed ? 'ready' : 'pending'
    const values = [String(nowMs), channel, id, step.after ?? '', next, ...approvalFields(step)]
    const reply = await redis.reply((client) => client.eval(scripts.APPROVE, { keys, arguments: values }))
    return SettledReply.parse(reply)
  }

  async box(id: string, nowMs: number): Promise<string | null> {
    return z
      .string()
      .nullable()
      .parse(await this.#run(scripts.BOX, id, nowMs))
  }

  async approveDeposit(id: string, step: DepositStep, nowMs: number): Promise<Settled> {
    const next = step.hold ? 'held' : 'applying'
    return SettledReply.parse(
      await this.#run(scripts.APPROVE_DEPOSIT, id, nowMs, next, ...depositFields(step, nowMs)),
    )
  }

  async settleDeposit(
    id: string,
    { depositId, applied }: { depositId: string; applied: AppliedDeposit | null },
    nowMs: number,
  ): Promise<boolean> {
    const text = applied === null ? '' : JSON.stringify(applied)
    return (await this.#run(scripts.SETTLE_DEPOSIT, id, nowMs, depositId, text)) === 1
  }

  async release(
    id: string,
    { hash, limit }: { hash: string; limit: number },
    nowMs: number,
  ): Promise<Released> {
    const reply = await this.#run(scripts.RELEASE, id, nowMs, hash, String(limit))
    const [status, attemptsLeft] = ReleaseReply.parse(reply)
    return status === 'wrong' ? { status, attemptsLeft } : { status }
  }

  async renewCode(id: string, { approval, names, ...code }: FreshCode, nowMs: number): Promise<boolean> {
    const { approverId, limit, hash, untilMs } = code
    const text = sealingText({ approval, names }) ?? ''
    const rest = [approverId, String(limit), hash, String(untilMs), text]
    return (await this.#run(scripts.RENEW_CODE, id, nowMs, ...rest)) === 1
  }

  async deny(id: string, nowMs: number, why?: WhyNotCode): Promise<Settled> {
    return SettledReply.parse(await this.#run(scripts.DENY, id, nowMs, why ?? ''))
  }

  async withdraw(id: string, nowMs: number): Promise<Settled> {
    return SettledReply.parse(await this.#run(scripts.WITHDRAW, id, nowMs))
  }

  async countWrongCode(id: string, limit: number, nowMs: number): Promise<number> {
    return z.number().parse(await this.#run(scripts.COUNT_WRONG_CODE, id, nowMs, String(limit)))
  }

  async claim(id: string, nowMs: number): Promise<Claim> {
    const [status, ciphertextBase64, approved, stored] = ClaimReply.parse(
      await this.#run(scripts.CLAIM, id, nowMs),
    )
    if (status !== 'claimed') return { status }
    const claimed = { status, ciphertextBase64, approval: sealingIn(approved).approval }
    return stored === '' ? claimed : { ...claimed, applied: AppliedDeposit.parse(JSON.parse(stored)) }
  }

  async unclaim(id: string, nowMs: number): Promise<void> {
    await this.#run(scripts.UNCLAIM, id, nowMs)
  }

  async remove(id: string): Promise<void> {
    await this.#run(scripts.REMOVE, id, 0)
  }

  async removeApprovedBy(
    { userId, tenantId }: { userId: string; tenantId: string | null },
    nowMs: number,
  ): Promise<void> {
    const ids = await this.#parts.redis.reply((client) => client.sMembers(this.#approvedBy(userId)))
    await Promise.all(
      ids.map(async (id) => await this.#run(scripts.REMOVE_APPROVED, id, nowMs, tenantId ?? '', userId)),
    )
  }

  watch(id: string, listener: () => void): () => void {
    return this.#parts.bell.watch(id, listener)
  }

  async ping(): Promise<void> {
    await this.#parts.redis.reply((client) => client.ping())
  }

  async close(): Promise<void> {
    const { redis, channel } = this.#parts
    if (redis.subscriber.isReady) await redis.subscriber.unsubscribe(channel)
  }

  #key(id: string): string {
    return `${this.#parts.prefix}request:${id}`
  }

  #keys(id: string): string[] {
    const { prefix } = this.#parts
    return [this.#key(id), `${prefix}live-requests`, `${prefix}expired:${id}`, `${prefix}deposit-bytes`]
  }

  #ofDevice(deviceKey: string): string {
    return `${this.#parts.prefix}of-device:${deviceKey}`
  }

  #approvedBy(userId: string): string {
    return `${this.#parts.prefix}approved-by:${userId}`
  }

  #run(script: string, id: string, nowMs: number, ...rest: string[]): Promise<unknown> {
    const { redis, channel } = this.#parts
    return redis.reply((client) =>
      client.eval(script, { keys: this.#keys(id), arguments: [String(nowMs), channel, id, ...rest] }),
    )
  }
}
