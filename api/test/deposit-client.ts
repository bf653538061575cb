import { type DepositContent, depositBinding } from '@keyferry/crypto/deposit'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import { portableSeal } from '@keyferry/crypto/portable-seal'
import { expect } from 'vitest'
import type { Identity, TestApi } from './api.ts'
import { ReturningClient, secretOf } from './returning-client.ts'

/** Values by name; a pair says whether a value is secret. */
export type Deposited = Readonly<Record<string, string | readonly [value: string, isSecret: boolean]>>

type Options = {
  workspace?: string
  detach?: string[]
  own?: string[]
  share?: string[]
  replace?: 'all' | string[]
  release?: string[]
  meta?: Record<string, string>
  seen?: { name: string; version: number }[]
  /** Values for other bundles, by their names. */
  also?: Readonly<Record<string, Deposited>>
}

function entriesOf(values: Deposited) {
  return Object.entries(values).map(([name, given]) => ({
    name,
    isSecret: typeof given === 'string' ? null : given[1],
  }))
}

function sentEntries(entries: DepositContent['entries']) {
  return entries.map(({ name, isSecret }) => (isSecret === null ? { name } : { name, is_secret: isSecret }))
}

/** A client that stores values with an approval. */
export class DepositClient extends ReturningClient {
  readonly #api: Pick<TestApi, 'call'>

  constructor(api: Pick<TestApi, 'call'>) {
    super(api)
    this.#api = api
  }

  /** The id of a new deposit. */
  async deposit(bundle: string, values: Deposited, options: Options = {}): Promise<string> {
    return await this.asked(await this.body(bundle, values, options))
  }

  /** The body of a new deposit, with its values sealed. */
  async body(bundle: string, values: Deposited, options: Options = {}) {
    const { kid, public_key } = (await this.#api.call('getDepositKey')).json
    const { detach = [], own = [], share = [], replace = [], workspace, release, meta, seen } = options
    const entries = entriesOf(values)
    const also = Object.entries(options.also ?? {}).map(([other, each]) => {
      return { bundle: other, entries: entriesOf(each) }
    })
    const content: DepositContent = {
      kid,
      publicKey: this.keyPair.publicKey,
      pollChallenge: pollChallenge(this.verifier),
      bundle,
      workspace: workspace ?? null,
      entries,
      detach,
      own,
      share,
      replace,
      also,
    }
    const texts = [values, ...Object.values(options.also ?? {})].flatMap((each) =>
      Object.values(each).map((given) => (typeof given === 'string' ? given : given[0])),
    )
    return {
      kind: 'deposit',
      client_pubkey: this.publicKey,
      bundle_id: bundle,
      ...(workspace === undefined ? {} : { workspace }),
      ...(meta === undefined ? {} : { meta }),
      ...this.returning(release),
      deposit: {
        kid,
        entries: sentEntries(entries),
        detach,
        own,
        share,
        replace,
        ...(also.length > 0 && {
          also: also.map((other) => ({ ...other, entries: sentEntries(other.entries) })),
        }),
        ciphertext_base64: box({ v: 1, binding: depositBinding(content), values: texts, seen }, public_key),
      },
    }
  }
}

/** A sealed box of something that may be no deposit. */
export function box(content: unknown, publicKeyBase64: string): string {
  const sealed = portableSeal(Buffer.from(JSON.stringify(content)), Buffer.from(publicKeyBase64, 'base64'))
  return Buffer.from(sealed).toString('base64')
}

type Approving = {
  plan_id?: string
  user_code?: string
  release?: string
  replace?: string[]
  own?: string[]
  share?: string[]
}

export const planOf = (api: Pick<TestApi, 'call'>, as: Identity, request_id: string, body = {}) =>
  api.call('planDeposit', { as, params: { request_id }, body })

/** Approve the plan as it is now. */
export async function approveDeposit(
  api: Pick<TestApi, 'call'>,
  as: Identity,
  { requestId: request_id, ...choice }: { requestId: string } & Approving,
) {
  const plan = await planOf(api, as, request_id, choice)
  const body = { plan_id: plan.json.plan_id, ...choice }
  return await api.call('approveDeposit', { as, params: { request_id }, body })
}

/** Approve the plan as it is now, and return the approval by a code.
 * @returns the answer that ended this: a refusal, or that of the return */
export async function storeDeposit(
  api: Pick<TestApi, 'call'>,
  as: Identity,
  { client, ...choice }: { requestId: string; client: DepositClient } & Approving,
) {
  const held = await approveDeposit(api, as, { ...choice, release: 'code' })
  return held.status === 200 ? await client.release(choice.requestId, secretOf(held.json)) : held
}

type Proposing = {
  bundle: string
  values?: Deposited
  detach?: string[]
  readable?: string[]
  release?: string
}

/** Propose values to the owners, as the page does for who may not store them. */
export async function proposeWith(
  api: Pick<TestApi, 'call'>,
  as: Identity,
  { bundle, values = {}, detach = [], readable = [], release }: Proposing,
) {
  const client = new DepositClient(api)
  const params = { request_id: await client.deposit(bundle, values, { detach }) }
  const plan = await planOf(api, as, params.request_id)
  const body = { plan_id: plan.json.plan_id, propose: { readable }, release: release ?? 'code' }
  const approved = await api.call('approveDeposit', { as, params, body })
  return { client, params, plan, approved }
}

/** As `proposeWith`, and return the approval. `ended`: a refusal, or the answer of the return. */
export async function proposed(api: Pick<TestApi, 'call'>, as: Identity, proposing: Proposing) {
  const { approved, ...sent } = await proposeWith(api, as, proposing)
  const { client, params } = sent
  if (approved.status !== 200) return { ...sent, ended: approved, outcome: null, id: '' }
  const ended = await client.release(params.request_id, secretOf(approved.json))
  const outcome = (await client.waits(params.request_id)).json
  return { ...sent, ended, outcome, id: 'proposal' in outcome ? outcome.proposal.id : '' }
}

/** The id of a new proposal. */
export async function propose(
  api: Pick<TestApi, 'call'>,
  as: Identity,
  proposing: Proposing,
): Promise<string> {
  const { ended, id } = await proposed(api, as, proposing)
  expect([ended.status, ended.failure]).toEqual([200, null])
  return id
}

/** What the library of a person delivers in a bundle: names and values, where they may be read. */
export async function bundleValues(
  api: Pick<TestApi, 'call'>,
  as: Identity,
  name: string,
): Promise<Record<string, string>> {
  const { json } = await api.call('listBundles', { as, query: { query: name } })
  const bundle = json.find((each) => each.name === name)
  if (bundle === undefined) return {}
  const client = new ReturningClient(api)
  const keys = await api.call('listBundleKeys', { as, params: { bundle_id: bundle.id } })
  const id = await client.asked()
  const include_keys = keys.json.map((key) => key.name)
  const body = { bundle_id: bundle.id, include_keys }
  const approved = await api.call('encryptFromBundle', { as, params: { request_id: id }, body })
  expect(approved.status).toBe(200)
  return client.opened(await client.wait(id))
}
