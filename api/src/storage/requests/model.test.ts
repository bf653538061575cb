import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases } from '../../../test/api.ts'
import type { RequestActs } from '../../../test/request-acts.ts'
import { actsOf, openRequests, requestPlace } from '../../../test/request-nodes.ts'
import { sampleRequest, sampleSupport, sampleVouch, sealing } from '../../../test/sample-request.ts'
import type { ApprovalRequest } from '../../domain/requests/stored-request.ts'
import { Requests } from './requests.ts'

/*
 * The same commands, in any order, on both stores: each answer and each state that can be seen afterwards is the same.
 */

const BOX = 'x'.repeat(40)
const BOUNDS = { maxLive: 4, maxBytes: 2 * BOX.length }
const LIFE_MS = 100_000
const LONGER_MS = 150_000
const hold = { by: 'code', hash: 'right' } as const
const tenant = { id: 'tenant', name: 'Team' }
const names = { kind: 'names', tenant, target: { kind: 'tenant', ...tenant }, assurance: 'bound' }
const deposit = { kind: 'deposit', tenant, depositId: 'd1' }
const place = { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'dev/app' }
const applied = {
  deposit: {
    id: '7d7d0a60-51b4-4a53-8f6e-2a2b7f1c9e04',
    bundle: place,
    workspace: place,
    counts: { create: 1, own: 0, share: 0, update: 0, replace: 0, same: 0, kept: 0, detach: 0 },
    approved_by: 'sam',
    receipt: { kid: '1a2b3c4d5e6f7081', payload: 'e30=', signature: 'c2lnbmVk' },
  },
}

type At = { acts: RequestActs; id: string; nowMs: number; by: string }

/** What can be done with one request. */
const COMMANDS: Record<string, (at: At) => Promise<unknown>> = {
  approve: ({ acts, id, nowMs, by }) =>
    acts.approve(id, sealing({ approved: { ...names, approverId: by } }), nowMs),
  'approve and hold': ({ acts, id, nowMs, by }) => {
    const held = { ...hold, untilMs: nowMs + 30_000 }
    return acts.approve(id, sealing({ approved: { ...names, approverId: by }, hold: held }), nowMs)
  },
  'approve first': ({ acts, id, nowMs, by }) =>
    acts.approve(id, sealing({ first: sampleSupport({ userId: by }), ciphertextBase64: null }), nowMs),
  'approve second': ({ acts, id, nowMs, by }) =>
    acts.approve(id, sealing({ after: 'sam', approved: { ...names, approverId: by } }), nowMs),
  'approve deposit': ({ acts, id, nowMs, by }) =>
    acts.approve(id, sealing({ approved: { ...deposit, approverId: by }, ciphertextBase64: null }), nowMs),
  vouch: ({ acts, id, nowMs, by }) => {
    const vouch = sampleVouch({ userId: by, id: 'v1' })
    return acts.vouch(id, { vouch, hold: { ...hold, untilMs: nowMs + 30_000 } }, nowMs)
  },
  release: ({ acts, id, nowMs }) => acts.release(id, { hash: 'right', limit: 2, longerMs: LONGER_MS }, nowMs),
  'release wrongly': ({ acts, id, nowMs }) => acts.release(id, { hash: 'wrong', limit: 2 }, nowMs),
  'fresh code': ({ acts, id, nowMs }) => {
    const code = { hash: 'right', replaces: 'right', untilMs: nowMs + 30_000, limit: 2, approved: null }
    return acts.renewCode(id, code, nowMs)
  },
  deny: ({ acts, id, nowMs }) => acts.deny(id, nowMs),
  withdraw: ({ acts, id, nowMs }) => acts.withdraw(id, nowMs),
  'wrong check code': ({ acts, id, nowMs }) => acts.countWrongCode(id, 3, nowMs),
  claim: ({ acts, id, nowMs, by }) => acts.claim(id, nowMs, by),
  unclaim: ({ acts, id, nowMs, by }) => acts.unclaim(id, nowMs, by),
  stored: ({ acts, id, nowMs }) => acts.apply(id, applied, nowMs),
  'not stored': ({ acts, id, nowMs }) => acts.refuse(id, 'right', nowMs),
  'remove approver': ({ acts, nowMs, by }) => acts.removeApprovedBy({ userId: by, tenantId: null }, nowMs),
  remove: ({ acts, id }) => acts.remove(id),
}

type Command = { command: string; which: number; by: string; laterMs: number; device: string | null }

const anyCommand: fc.Arbitrary<Command> = fc.record({
  command: fc.constantFrom('create', 'create', 'create deposit', ...Object.keys(COMMANDS)),
  which: fc.nat(3),
  by: fc.constantFrom('sam', 'kim'),
  laterMs: fc.constantFrom(0, 0, 0, 1, 16_000, 35_000),
  device: fc.constantFrom('laptop', null),
})

/** The same requests in both stores, and the time that passed for both. */
class Run {
  readonly #both: readonly RequestActs[]
  readonly #requests: ApprovalRequest[] = []
  #nowMs = Date.now()

  constructor(both: readonly RequestActs[]) {
    this.#both = both
  }

  async does({ command, which, by, laterMs, device }: Command): Promise<void> {
    this.#nowMs += laterMs
    const isNew = command.startsWith('create') || this.#requests.length === 0
    if (isNew) await this.#creates(command === 'create deposit' ? BOX : null, device)
    const id = this.#requests.at(-1 - (which % this.#requests.length))?.id ?? ''
    const act = COMMANDS[command]
    if (!isNew && act) await this.#same(command, (acts) => act({ acts, id, nowMs: this.#nowMs, by }))
    await this.#same(`state after ${command}`, (acts) => this.#seen(acts, id))
  }

  /** All that can be seen of all requests. */
  async isSame(): Promise<void> {
    for (const { id } of this.#requests) await this.#same('at the end', (acts) => this.#seen(acts, id))
    await this.#same('of the device', (acts) => acts.ofDevice('laptop', this.#nowMs))
    await this.#same('of the tenant', (acts) => this.#waiting(acts))
  }

  async #creates(box: string | null, deviceKey: string | null): Promise<void> {
    // No two end at the same time, so that their order is known. At no step is one about to end within milliseconds:
    // the keys of Redis expire by its own clock, which runs on during a step.
    const expiresAtMs = this.#nowMs + LIFE_MS - 100 * this.#requests.length
    const kind = box === null ? {} : ({ kind: 'deposit', deposit: { userCode: 'BCDF-GHJK' } } as const)
    const request = sampleRequest({
      expiresAtMs,
      deviceKey,
      waitsForOthers: true,
      ...kind,
    })
    this.#requests.push(request)
    await this.#same('create', (acts) => acts.create(request, this.#nowMs, box))
  }

  async #seen({ store }: RequestActs, id: string) {
    return [await store.read(id, this.#nowMs), await store.box(id, this.#nowMs)]
  }

  async #waiting(acts: RequestActs): Promise<string[]> {
    return (await acts.waitingIn('tenant', this.#nowMs)).toSorted()
  }

  async #same(what: string, act: (acts: RequestActs) => Promise<unknown>): Promise<void> {
    const [one, other] = await Promise.all(this.#both.map(act))
    expect(other, what).toEqual(one)
  }
}

describe.runIf(databases.includes('postgres'))('SQLite and PostgreSQL', () => {
  let opened: Awaited<ReturnType<typeof openRequests>>[] = []
  beforeAll(async () => {
    opened = await Promise.all(databases.map(async (kind) => openRequests(await requestPlace(kind))))
  })
  afterAll(async () => {
    for (const { database } of opened) await database.close()
  })

  test('answer the same commands in the same way', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyCommand, { minLength: 5, maxLength: 20 }), async (commands) => {
        const both = opened.map(({ queries, notices }) =>
          actsOf(new Requests(queries, { notices, ...BOUNDS })),
        )
        const run = new Run(both)
        for (const each of commands) await run.does(each)
        await run.isSame()
        for (const { database } of opened) await database.query.deleteFrom('requests').execute()
      }),
    )
  })
})
