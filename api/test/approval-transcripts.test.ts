import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/storage/base/queries.ts'
import { type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'
import { DepositClient } from './deposit-client.ts'
import { joinWorkspace } from './joined.ts'
import { secretOf } from './returning-client.ts'
import { ManualClock, Overtaking, readTexts, settledText, Transcript, written } from './transcript.ts'

/*
 * Every kind of request, way of return, number of people and end: what is answered, recorded and stored must stay as
 * it is in approval-transcripts.txt. After a change that is meant, run this test with UPDATE_TRANSCRIPTS=1 and read
 * the difference.
 */

const FILE = join(import.meta.dirname, 'approval-transcripts.txt')
const isUpdate = process.env['UPDATE_TRANSCRIPTS'] !== undefined
const LIFETIME_MS = 300_000
/** Right before its end, a request is taken back. */
const ENDING_MS = 1_000

const KINDS = ['delivery', 'deposit', 'names'] as const
const HOLDS = ['none', 'loopback', 'code'] as const
const STAGES = ['nobody', 'first of two', 'one', 'two'] as const
const ENDS = ['collected', 'denied', 'withdrawn', 'wrong codes', 'expired', 'removed', 'overtaken'] as const

type Case = {
  kind: (typeof KINDS)[number]
  hold: (typeof HOLDS)[number]
  stage: (typeof STAGES)[number]
  end: (typeof ENDS)[number]
}

/** What becomes of a request that the member vouches for and the owner may approve. */
const VOUCHED_ENDS = ['collected', 'denied', 'withdrawn', 'removed', 'wrong codes'] as const

/** The rules of a workspace that refuse an approval of every kind. */
const RULES = {
  'owners only': { approvers: 'owner' },
  'no agents': { agents: 'deny' },
  bound: { assurance: 'bound' },
  local: { assurance: 'local' },
}

const cases = KINDS.flatMap((kind) =>
  STAGES.flatMap((stage) => HOLDS.flatMap((hold) => ENDS.map((end) => ({ kind, hold, stage, end })))),
).filter(isPossible)

function isPossible({ kind, hold, stage, end }: Case): boolean {
  if (stage === 'nobody') return hold === 'none' && !['collected', 'removed', 'overtaken'].includes(end)
  // A deposit returns to its terminal always; its rules below show the refusal.
  if (kind === 'deposit' && hold === 'none') return false
  if (stage === 'first of two' && (kind !== 'delivery' || end === 'collected')) return false
  if (stage === 'two' && kind !== 'delivery') return end === 'collected'
  return end !== 'wrong codes' || hold !== 'none'
}

const titleOf = ({ kind, hold, stage, end }: Case) => `${kind}, approved by ${stage}, return ${hold}, ${end}`

const recorded = existsSync(FILE) ? readTexts(readFileSync(FILE, 'utf8')) : new Map<string, string>()
const found = new Map(recorded)

describe.each(oneDatabase)('approvals on %s are as recorded', (database) => {
  const clock = new ManualClock()
  const overtaking = new Overtaking()
  let api: TestApi
  let rows: Database
  beforeAll(async () => {
    const { now } = clock
    const around = { aroundRequests: overtaking.around, now, sweepSeconds: 0.2 }
    api = await startTestApi(database, { trustProxy: ['127.0.0.1'], requestsPerMinute: 100_000, ...around })
    rows = await openDatabaseOf(api)
  })
  afterAll(async () => {
    await rows.close()
    await api.close()
    if (isUpdate) writeFileSync(FILE, written(found))
  })

  const newStory = async (kind: Case['kind'], rules: Record<string, unknown>) => {
    const owner = await api.newOwner()
    const member = await joinWorkspace(api, owner, kind === 'deposit' ? 'owner' : 'member')
    const bundle = await newBundle(api, owner, { A: 'a', PLAIN: { value: 'p', is_secret: false } })
    await api.call('changeTenantPolicy', { as: owner, body: rules })
    return new Story({ api, clock, kind, owner, member, bundle })
  }

  const compare = async (title: string, { script, owner }: Story) => {
    const expected = recorded.get(title)
    const text = await settledText(() => script.text(rows, owner), isUpdate ? undefined : expected)
    if (isUpdate) found.set(title, text)
    else expect(text).toBe(expected)
  }

  test.each(cases)('$kind, approved by $stage, return $hold, $end', async (each) => {
    const needed = each.stage === 'two' || each.stage === 'first of two' ? 2 : 1
    const story = await newStory(each.kind, { approvals_needed: needed })
    const faster = each.end === 'overtaken' ? await story.another(each.hold) : null
    await story.begins()
    await story.comesNear(each)
    overtaking.faster = faster
    const by = await story.comesTo(each)
    await story.ends(each, by)
    await compare(titleOf(each), story)
  })

  test.each(VOUCHED_ENDS.flatMap((end) => (['loopback', 'code'] as const).map((way) => ({ end, way }))))(
    'vouched for, return $way, $end',
    async ({ end, way }) => {
      const story = await newStory('delivery', { approvers: 'owner', assurance: 'bound' })
      await story.begins({}, undefined, { waits_for_others: true })
      await story.vouches(story.member, way)
      const isLost = end === 'wrong codes'
      if (!isLost) await story.returns()
      await story.offers(story.owner)
      if (end === 'collected' || end === 'removed') await story.approves(story.owner)
      const each = { kind: 'delivery', stage: 'one', hold: isLost ? way : 'none', end } as const
      await story.ends(each, story.member)
      await compare(`delivery, vouched for, return ${way}, ${end}`, story)
    },
  )

  test.each(KINDS.flatMap((kind) => Object.entries(RULES).map(([rule, body]) => ({ kind, rule, body }))))(
    '$kind, refused by the rule $rule',
    async ({ kind, rule, body }) => {
      const story = await newStory(kind, body)
      await story.begins({ agent: 'robot' })
      for (const release of [undefined, 'code', 'loopback']) await story.approves(story.member, release)
      await story.begins({ agent: 'robot' }, ['code'])
      for (const release of [undefined, 'code', 'loopback']) await story.approves(story.member, release)
      await compare(`${kind}, refused by the rule ${rule}`, story)
    },
  )
})

type Parts = {
  api: TestApi
  clock: ManualClock
  kind: Case['kind']
  owner: Identity
  member: Identity
  bundle: { id: string; name: string }
}

/** One request of one client in a workspace. */
class Story {
  readonly script: Transcript
  readonly owner: Identity
  readonly member: Identity
  readonly #parts: Parts
  readonly #client: DepositClient
  #requestId = ''
  #secret = ''
  #endsMs = 0

  constructor(parts: Parts) {
    this.#parts = parts
    this.owner = parts.owner
    this.member = parts.member
    this.script = new Transcript(parts.api, parts.clock)
    this.#client = new DepositClient(this.script)
    this.script.name(parts.owner.userId, 'owner')
    this.script.name(parts.member.userId, 'member')
    this.script.name(parts.owner.tenantId, 'workspace')
    this.script.name(parts.bundle.id, 'bundle')
    this.script.name(this.#client.publicKey, 'PUBLIC-KEY')
  }

  async begins(meta: Record<string, string> = {}, release?: string[], more = {}): Promise<void> {
    const { kind, bundle } = this.#parts
    const asking = { kind, bundle_id: kind === 'names' ? bundle.id : bundle.name, meta }
    const made =
      kind === 'deposit'
        ? await this.#client.body(bundle.name, { NEW: 'n', SHOWN: ['q', false] }, { meta })
        : { ...asking, ...this.#client.returning(release) }
    this.#requestId = (
      await this.#client.ask({ ...made, ...this.#client.returning(release), ...more })
    ).json.id
    this.#endsMs = this.#parts.clock.ms + LIFETIME_MS
    await this.offers(this.member)
  }

  async offers(as: Identity): Promise<string | undefined> {
    const params = { request_id: this.#requestId, bundle_id: this.#parts.bundle.id }
    const { kind } = this.#parts
    if (kind === 'deposit')
      return (await this.script.call('planDeposit', { as, params, body: {} })).json?.plan_id
    const query = { bundle_id: params.bundle_id }
    if (kind === 'names') await this.script.call('previewNames', { as, params, query })
    else await this.script.call('getRequestBundle', { as, params })
    return undefined
  }

  async approves(as: Identity, release?: string, userCode?: string): Promise<void> {
    const { kind, bundle } = this.#parts
    const params = { request_id: this.#requestId }
    const common = { ...(release ? { release } : {}), ...(userCode ? { user_code: userCode } : {}) }
    const answer = await this.#approval(kind, { as, params, bundle_id: bundle.id, common })
    if (answer.status === 200) this.#secret = secretOf(answer.json)
  }

  async vouches(as: Identity, release: string): Promise<void> {
    const params = { request_id: this.#requestId }
    const body = { bundle_id: this.#parts.bundle.id, include_keys: ['A'], release }
    const answer = await this.script.call('vouchForRequest', { as, params, body })
    if (answer.status === 200) this.#secret = secretOf(answer.json)
    await this.script.call('listWaiting', { as: this.owner })
  }

  async #approval(
    kind: Case['kind'],
    asked: { as: Identity; params: { request_id: string }; bundle_id: string; common: object },
  ) {
    const { as, params, bundle_id, common } = asked
    if (kind === 'names')
      return await this.script.call('approveNames', { as, params, body: { bundle_id, ...common } })
    if (kind === 'delivery') {
      const body = { bundle_id, include_keys: ['A'], ...common }
      return await this.script.call('encryptFromBundle', { as, params, body })
    }
    const plan_id = (await this.offers(as)) ?? 'none'
    return await this.script.call('approveDeposit', { as, params, body: { plan_id, ...common } })
  }

  /** What another person does, who is faster. */
  async another(hold: Case['hold']): Promise<() => Promise<void>> {
    const other = await joinWorkspace(this.#parts.api, this.owner, 'owner')
    this.script.name(other.userId, 'other')
    return () => this.approves(other, hold === 'none' ? undefined : hold)
  }

  /** Up to the approval that the end is about. */
  async comesNear({ hold, stage, end }: Case): Promise<void> {
    if (stage === 'two') {
      await this.approves(this.member, hold === 'none' ? undefined : hold)
      if (hold !== 'none') await this.returns()
    }
    if (end !== 'expired') return
    this.script.stepMs = 0
    this.#parts.clock.ms = this.#endsMs - ENDING_MS
  }

  /** @returns who approved */
  async comesTo({ hold, stage }: Case): Promise<Identity> {
    if (stage === 'nobody') return this.member
    const by = stage === 'two' ? this.owner : this.member
    await this.approves(by, hold === 'none' ? undefined : hold)
    await this.script.call('getRequestContext', { params: { request_id: this.#requestId } })
    return by
  }

  async returns(secret = this.#secret): Promise<void> {
    await this.#client.release(this.#requestId, secret)
  }

  async ends({ end, hold, stage }: Case, by: Identity): Promise<void> {
    const params = { request_id: this.#requestId }
    const ways: Record<Case['end'], () => Promise<unknown>> = {
      collected: async () => hold !== 'none' && (await this.returns()),
      denied: () => this.script.call('denyRequest', { as: this.owner, params }),
      withdrawn: () => this.script.call('withdrawRequest', { params, headers: this.#client.proof() }),
      'wrong codes': () => this.#givesWrongCodes(stage),
      expired: () => this.#expires(),
      removed: () => this.script.call('removeMember', { as: this.owner, params: { user_id: by.userId } }),
      overtaken: async () => {},
    }
    await ways[end]()
    await this.script.call('getRequestContext', { params })
    if (end === 'removed' || end === 'overtaken' || (end === 'wrong codes' && hold === 'loopback')) return
    const answer = await this.#client.waits(this.#requestId, 'none')
    if (this.#parts.kind === 'delivery' && answer.status === 200) await this.#isRecorded()
    await this.#client.waits(this.#requestId, 'none')
  }

  // The server records the collection after it answers, and the next call moves the clock on.
  async #isRecorded(): Promise<void> {
    const { api, owner } = this.#parts
    const actions = async () => (await api.call('listAudit', { as: owner })).json.map(({ action }) => action)
    await expect.poll(actions).toContain('delivery.collected')
  }

  async #givesWrongCodes(stage: Case['stage']): Promise<void> {
    const codes = ['000 001', '000 002', '000 003', '000 004', '000 005']
    const way = this.#parts.kind === 'deposit' ? 'code' : undefined
    for (const code of codes.slice(0, stage === 'nobody' ? 5 : 3)) {
      await (stage === 'nobody' ? this.approves(this.member, way, code) : this.returns(code))
    }
  }

  async #expires(): Promise<void> {
    this.#parts.clock.ms = this.#endsMs + 60_000
  }
}
