import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { approveWith } from './approval-client.ts'
import { joinWorkspace } from './joined.ts'
import { ReturningClient } from './returning-client.ts'

type Made = { id: string; name: string }

// A production bundle contains two secrets and a public value, and a bundle for development shares all of them.
describe.each(oneDatabase)('rules follow the value on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let member: Identity
  let production: Made
  let development: Made
  const keys = { SECRET: '', OTHER: '', HOST: '' }
  beforeAll(async () => {
    api = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
    member = await joinWorkspace(api, owner, 'member')
    production = await bundleNamed('main')
    for (const name of ['SECRET', 'OTHER', 'HOST'] as const) {
      const body = { name, value: `${name} of before`, is_secret: name !== 'HOST' }
      keys[name] = (await api.call('createKey', { as: owner, body })).json.id
      await attach(production, keys[name])
    }
    const params = { bundle_id: production.id }
    const copied = await api.call('duplicateBundle', { as: member, params, body: { name: 'copy' } })
    development = { id: copied.json.id, name: 'copy' }
  })

  async function bundleNamed(name: string): Promise<Made> {
    const { json } = await api.call('createBundle', { as: owner, body: { name } })
    return { id: json.id, name }
  }
  const attach = (bundle: Made, key_id: string, body = {}) =>
    api.call('attachKey', { as: owner, params: { bundle_id: bundle.id, key_id }, body })
  const rule = (bundle: Made, body: Record<string, unknown>) =>
    api.call('changeBundlePolicy', { as: owner, params: { bundle_id: bundle.id }, body })
  const ask = async (body: Record<string, unknown> = {}) => {
    const client = new ReturningClient(api)
    return { client, id: await client.asked({ ...client.returning(), ...body }) }
  }
  const approve = (as: Identity, requestId: string, include_keys: string[]) =>
    approveWith(api, as, { requestId, bundle_id: development.id, include_keys })
  const refusedNames = async (as: Identity, requestId: string, names: string[]) => {
    const { status, failure } = await approve(as, requestId, names)
    expect(status).toBe(403)
    return failure?.details?.['names']
  }
  const offered = async (as: Identity, request_id: string, names?: string) => {
    const params = { request_id, bundle_id: development.id }
    return (
      await api.call('getRequestBundle', { as, params, query: names === undefined ? {} : { keys: names } })
    ).json
  }

  test.each([
    ['owner_approves', { approvers: 'owner' }],
    ['second_person', { approvals_needed: 2 }],
    ['release_required', { assurance: 'bound' }],
  ])('%s: a duplicate made before the rule delivers the secret no other way', async (code, rules) => {
    await rule(production, rules)
    const { id } = await ask()
    const answer = await approve(member, id, ['SECRET', 'HOST'])
    if (code === 'second_person') {
      expect(answer.json).toEqual({ ok: true, approvals: { given: 1, needed: 2 } })
      return
    }
    expect([answer.status, answer.failure]).toMatchObject([403, { code, details: { names: ['SECRET'] } }])
    expect(answer.text).not.toContain(production.name)
  })

  test('a rule against AI agents counts too', async () => {
    await rule(production, { agents: 'deny' })
    const { id } = await ask({ meta: { agent: 'some-agent' } })
    const error =
      'A rule of another bundle covers SECRET: it is not delivered to AI agents. Leave these values out, or follow the rule'
    expectError(await approve(owner, id, ['SECRET']), 403, error, 'agents_denied')
  })

  test('without the secrets the approval succeeds, and the page says which names to leave out', async () => {
    await rule(production, { approvers: 'owner' })
    const { client, id } = await ask()
    const refused = await offered(member, id)
    expect([refused.may_approve, refused.why_not?.names]).toEqual([false, ['SECRET', 'OTHER']])
    expect(refused.items.map(({ key, stricter }) => [key, stricter])).toEqual([
      ['SECRET', true],
      ['OTHER', true],
      ['HOST', false],
    ])
    await rule(production, { changers: 'owner' })
    await rule(development, { approvers: 'owner' })
    expect((await offered(member, id)).items.some(({ stricter }) => stricter)).toBe(false)
    await rule(development, { approvers: null })
    expect(await offered(member, id, 'HOST')).toMatchObject({ may_approve: true, why_not: null })
    expect((await approve(member, id, ['HOST'])).status).toBe(200)
    expect(client.opened(await client.waits(id))).toEqual({ HOST: 'HOST of before' })
  })

  test('a composed value brings the rules of its secret parts', async () => {
    const body = { name: 'URL', value: 'https://${SECRET}@${HOST}', is_template: true, is_secret: false }
    const { json } = await api.call('createKey', { as: owner, body })
    await attach(development, json.id)
    await rule(production, { approvers: 'owner' })
    const { id } = await ask()
    expect(await refusedNames(member, id, ['URL'])).toEqual(['URL'])
  })

  test('a key that is attached or declared secret after the rule counts from then', async () => {
    await rule(production, { approvers: 'owner' })
    const { id } = await ask()
    await api.call('updateKey', { as: owner, params: { key_id: keys.HOST }, body: { is_secret: true } })
    expect(await refusedNames(member, id, ['HOST'])).toEqual(['HOST'])
    await rule(production, { approvers: null })
    const third = await bundleNamed('third')
    await rule(third, { approvers: 'owner' })
    expect((await offered(member, id, 'HOST')).may_approve).toBe(true)
    await attach(third, keys.HOST)
    expect(await refusedNames(member, id, ['HOST'])).toEqual(['HOST'])
  })

  test('what nobody set does not travel: names, defaults and rules that say nothing', async () => {
    const live = await bundleNamed('prod/live')
    await attach(live, keys.SECRET)
    await rule(live, { approvers: 'owner' })
    await rule(live, { approvers: null })
    const { id } = await ask()
    expect((await approve(member, id, ['SECRET'])).status).toBe(200)
  })

  test('a secret of another name is told by the name that this bundle delivers', async () => {
    const third = await bundleNamed('third')
    const body = { name: 'THIRD', value: 'x' }
    const { json } = await api.call('createKey', { as: owner, body })
    await attach(third, json.id)
    await attach(development, json.id, { as: 'ALIAS' })
    await rule(third, { approvers: 'owner' })
    const { id } = await ask()
    expect(await refusedNames(member, id, ['ALIAS', 'HOST'])).toEqual(['ALIAS'])
  })

  test('the rules of a bundle say which other bundles become stricter', async () => {
    const params = { bundle_id: production.id }
    const { json } = await api.call('getBundlePolicy', { as: member, params })
    expect(json.also).toEqual([{ bundle: { id: development.id, name: development.name }, secrets: 2 }])
  })

  test('a rule that is set while somebody approves never lets the next value out', async () => {
    for (let round = 0; round < 10; round += 1) {
      await rule(production, { approvers: null })
      await api.call('updateKey', { as: owner, params: { key_id: keys.SECRET }, body: { value: 'old' } })
      const asked = await Promise.all(Array.from({ length: 4 }, () => ask()))
      const guarded = async () => {
        await rule(production, { approvers: 'owner' })
        const value = `next ${randomUUID()}`
        await api.call('updateKey', { as: owner, params: { key_id: keys.SECRET }, body: { value } })
      }
      const approvals = asked.map(async ({ client, id }) => {
        const { status } = await approve(member, id, ['SECRET'])
        return status === 200 ? client.opened(await client.waits(id)) : null
      })
      const [, ...got] = await Promise.all([guarded(), ...approvals])
      for (const values of got) expect([null, 'old']).toContain(values?.['SECRET'] ?? null)
    }
  })
})
