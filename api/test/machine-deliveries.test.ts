import { hash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { expectError, type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'
import {
  eventsOf,
  fetchValues,
  grant,
  newBundle,
  newMachine,
  type TestBundle,
  type TestMachine,
} from './machine-client.ts'

// An import shares keys of equal values, so each bundle has its own.
let bundles = 0
const newValues = () => {
  bundles += 1
  return { DATABASE_URL: `postgres://secret-marker/${bundles}`, PORT: String(bundles) }
}

describe.each(oneDatabase)('deliveries to machines on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let database: Database
  let clockMs = Date.parse('2026-06-01T00:00:00Z')
  beforeAll(async () => {
    api = await startTestApi(kind, { now: () => new Date(clockMs), trustProxy: ['127.0.0.1'] })
    owner = await api.newOwner()
    database = await openDatabaseOf(api)
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  const granted = async (draft: object = {}): Promise<{ machine: TestMachine; bundle: TestBundle }> => {
    const [machine, bundle] = [await newMachine(api, owner, draft), await newBundle(api, owner, newValues())]
    await grant(api, owner, { machine, bundle })
    return { machine, bundle }
  }

  test.each(['id', 'name'] as const)('a machine gets all values of a bundle by its %s', async (by) => {
    const { machine, bundle } = await granted()
    const { answer, values } = await fetchValues(api, { token: machine.token, bundle_id: bundle[by] })
    expect(values).toEqual(bundle.values)
    expect(answer.json).toMatchObject({
      machine: { id: machine.id, name: machine.name },
      workspace: { id: owner.tenantId },
      bundle: { id: bundle.id, name: bundle.name },
      keys: [
        { name: 'DATABASE_URL', version: 1 },
        { name: 'PORT', version: 1 },
      ],
    })
  })

  test('include_keys chooses, and a name that the bundle lacks is refused', async () => {
    const { machine, bundle } = await granted()
    const wish = { token: machine.token, bundle_id: bundle.id }
    expect((await fetchValues(api, { ...wish, include_keys: ['PORT'] })).values).toEqual({
      PORT: bundle.values['PORT'],
    })
    const { answer } = await fetchValues(api, { ...wish, include_keys: ['PORT', 'NOT_THERE'] })
    expect([answer.status, answer.failure?.details]).toEqual([
      400,
      { field: 'include_keys', keys: ['NOT_THERE'] },
    ])
    expect((await fetchValues(api, { ...wish, include_keys: [] })).answer.status).toBe(400)
  })

  test('a delivery is an event, a record, and makes the machine a holder', async () => {
    const { machine, bundle } = await granted()
    const meta = { hostname: 'runner-7', user: 'ci', command: "'/usr/bin/npm' --token=x", via: 'run' }
    const { answer } = await fetchValues(api, { token: machine.token, bundle_id: bundle.id, meta })
    const { delivery_id } = answer.json
    const [event] = await eventsOf(api, owner, 'delivery.machine')
    expect(event).toMatchObject({
      actor: { kind: 'machine', id: machine.id, name: machine.name },
      target: { kind: 'bundle', id: bundle.id },
      data: {
        delivery: delivery_id,
        token: machine.tokenId,
        versions: [
          ['DATABASE_URL', 1],
          ['PORT', 1],
        ],
      },
      origin: { hostname: 'runner-7', program: 'npm' },
    })
    const params = { delivery_id, key_id: bundle.keyIds['PORT'] ?? '', machine_id: machine.id }
    const record = await api.call('getDelivery', { as: owner, params })
    const of = { kind: 'machine', id: machine.id, name: machine.name }
    expect(record.json).toMatchObject({ kind: 'machine', state: 'collected', approver: null, machine: of })
    expect((await api.call('listHolders', { as: owner, params })).json).toMatchObject([
      { ...of, version: 1, is_current: true, times: 1, delivery_id },
    ])
    const held = await api.call('listMachineHoldings', { as: owner, params })
    expect(new Set(held.json.map(({ key }) => key.id))).toEqual(new Set(Object.values(bundle.keyIds)))
    const listed = await api.call('listDeliveries', { as: owner, query: { machine_id: machine.id } })
    expect(listed.json.map(({ id }) => id)).toEqual([delivery_id])
    expect((await api.call('getMachine', { as: owner, params })).json.last_delivery_at).toBe(
      record.json.created_at,
    )
  })

  test('a changed value makes the machine a stale holder until it fetches again', async () => {
    const { machine, bundle } = await granted()
    const wish = { token: machine.token, bundle_id: bundle.id }
    await fetchValues(api, wish)
    const params = { key_id: bundle.keyIds['PORT'] ?? '' }
    await api.call('updateKey', { as: owner, params, body: { value: 'new' } })
    const holders = async () => (await api.call('listHolders', { as: owner, params })).json
    expect(await holders()).toMatchObject([{ version: 1, is_current: false }])
    expect((await fetchValues(api, wish)).values?.['PORT']).toBe('new')
    expect(await holders()).toMatchObject([{ version: 2, is_current: true, times: 2 }])
  })

  test('each fetch of the same versions counts, at once too, and one of a part leaves the others as they were', async () => {
    const { machine, bundle } = await granted()
    const wish = { token: machine.token, bundle_id: bundle.id }
    const holding = async (name: string) => {
      const params = { key_id: bundle.keyIds[name] ?? '' }
      return (await api.call('listHolders', { as: owner, params })).json
    }
    await Promise.all(Array.from({ length: 5 }, () => fetchValues(api, wish)))
    clockMs += 1_000
    const { answer } = await fetchValues(api, { ...wish, include_keys: ['PORT'] })
    const last = { delivery_id: answer.json.delivery_id, last_at: new Date(clockMs).toISOString() }
    expect(await holding('PORT')).toMatchObject([{ version: 1, times: 6, state: 'given', ...last }])
    expect(await holding('DATABASE_URL')).toMatchObject([{ version: 1, times: 5 }])
    expect((await holding('DATABASE_URL'))[0]?.delivery_id).not.toBe(last.delivery_id)
  })

  test('a dismissed holder is one again after its next fetch', async () => {
    const { machine, bundle } = await granted()
    const wish = { token: machine.token, bundle_id: bundle.id }
    await fetchValues(api, wish)
    const params = { key_id: bundle.keyIds['PORT'] ?? '' }
    const [held] = (await api.call('listHolders', { as: owner, params })).json
    const holder = held?.holder ?? ''
    await api.call('dismissHolder', { as: owner, params: { ...params, holder } })
    const again = await api.call('dismissHolder', { as: owner, params: { ...params, holder } })
    expectError(again, 404, 'Key or holder not found')
    expect((await api.call('listHolders', { as: owner, params })).json).toEqual([])
    await fetchValues(api, wish)
    expect((await api.call('listHolders', { as: owner, params })).json).toMatchObject([{ holder, times: 2 }])
  })

  test('what a deleted machine was given stays listed', async () => {
    const { machine, bundle } = await granted()
    await fetchValues(api, { token: machine.token, bundle_id: bundle.id })
    const params = { machine_id: machine.id, key_id: bundle.keyIds['PORT'] ?? '' }
    await api.call('deleteMachine', { as: owner, params })
    expect((await api.call('listMachineHoldings', { as: owner, params })).json).toHaveLength(2)
    const holder = { kind: 'machine', id: machine.id, name: null }
    expect((await api.call('listHolders', { as: owner, params })).json).toMatchObject([holder])
  })

  test('a legacy item is delivered without a version', async () => {
    const { machine, bundle } = await granted()
    const params = { bundle_id: bundle.id }
    await api.call('upsertLegacyItem', { as: owner, params, body: { key: 'OLD', value: 'x' } })
    const { answer, values } = await fetchValues(api, { token: machine.token, bundle_id: bundle.id })
    expect([values?.['OLD'], answer.json.keys.at(-1)]).toEqual(['x', { name: 'OLD', version: null }])
  })

  test('a bundle that is not granted, granted to read only, or unknown gets the same refusal', async () => {
    const { machine, bundle } = await granted()
    await grant(api, owner, { machine, bundle, scope: 'read' })
    const other = await newBundle(api, owner, newValues())
    const message = `the machine ${machine.name} has no grant for this bundle`
    for (const bundle_id of [bundle.id, bundle.name, other.id, other.name, 'unknown']) {
      const { answer } = await fetchValues(api, { token: machine.token, bundle_id })
      expectError(answer, 403, message, 'not_granted')
    }
  })

  test('which values are not secret is in a second box, with the digest of the first', async () => {
    const { machine, bundle } = await granted()
    const params = { key_id: bundle.keyIds['PORT'] ?? '' }
    await api.call('updateKey', { as: owner, params, body: { is_secret: false } })
    const { marks } = await fetchValues(api, { token: machine.token, bundle_id: bundle.id })
    expect(marks).toEqual({ of: hash('sha256', JSON.stringify(bundle.values)), public: ['PORT'] })
  })

  test('a machine reads granted bundles with every value masked', async () => {
    const { machine, bundle } = await granted()
    await api.call('updateKey', {
      as: owner,
      params: { key_id: bundle.keyIds['PORT'] ?? '' },
      body: { is_secret: false },
    })
    await newBundle(api, owner, newValues())
    const headers = { authorization: `Bearer ${machine.token}` }
    const params = { bundle_id: bundle.id }
    const listed = await api.call('listBundles', { headers })
    expect([listed.json.map(({ id }) => id), listed.headers.get('x-total-count')]).toEqual([[bundle.id], '1'])
    const { items } = (await api.call('getBundle', { headers, params })).json
    expect(items.map(({ name, value }) => [name, value])).toEqual([
      ['DATABASE_URL', '*****'],
      ['PORT', '*****'],
    ])
    const keys = await api.call('listBundleKeys', { headers, params })
    expect(keys.json.map(({ value }) => value)).toEqual(['*****', '*****'])
    const own = await api.call('getOwnMachine', { headers })
    expect(own.json).toMatchObject({
      id: machine.id,
      grants: [{ scope: 'deliver' }],
      token: { id: machine.tokenId },
    })
  })

  test.each([
    ['an inactive machine', 403, 'machine_inactive', { is_active: false }, 0],
    ['an expired token', 401, 'token_expired', {}, 86_400_000],
  ])('%s is refused, and the refusal is an event', async (_what, status, code, change, laterMs) => {
    const { machine, bundle } = await granted({ expires_in_days: 1 })
    await api.call('updateMachine', { as: owner, params: { machine_id: machine.id }, body: change })
    clockMs += laterMs
    const { answer } = await fetchValues(api, { token: machine.token, bundle_id: bundle.id })
    expect([answer.status, answer.failure?.code]).toEqual([status, code])
    await expect
      .poll(() => eventsOf(api, owner, 'delivery.refused'))
      .toContainEqual(
        expect.objectContaining({
          target: { kind: 'machine', id: machine.id, name: machine.name },
          data: { reason: code, count: 1 },
        }),
      )
  })

  test('a token that is bound to networks works only from there', async () => {
    const { machine, bundle } = await granted({ networks: ['192.0.2.0/24', '2001:db8::/64'] })
    const from = async (address: string) => {
      const wish = { token: machine.token, bundle_id: bundle.id }
      return (
        (await fetchValues(api, wish, { 'x-forwarded-for': address })).answer.failure?.code ?? 'delivered'
      )
    }
    expect(await from('192.0.2.7')).toBe('delivered')
    expect(await from('2001:db8::5')).toBe('delivered')
    expect(await from('::ffff:192.0.2.7')).toBe('delivered')
    expect(await from('192.0.3.1')).toBe('network_refused')
    expect(await from('2001:db8:0:1::5')).toBe('network_refused')
  })

  test('the last use of a token is noted, once a minute', async () => {
    const { machine, bundle } = await granted()
    const params = { machine_id: machine.id }
    const wish = { token: machine.token, bundle_id: bundle.id }
    const use = async (address: string) => {
      await fetchValues(api, wish, { 'x-forwarded-for': address })
      const [token] = (await api.call('getMachine', { as: owner, params })).json.tokens
      return [token?.last_used_at, token?.last_used_ip]
    }
    const first = await use('192.0.2.1')
    expect(first).toEqual([new Date(clockMs).toISOString(), '192.0.2.1'])
    clockMs += 30_000
    expect(await use('192.0.2.2')).toEqual(first)
    clockMs += 31_000
    expect(await use('192.0.2.3')).toEqual([new Date(clockMs).toISOString(), '192.0.2.3'])
  })

  test('repeated refusals are counted, and many of them hide their reason', async () => {
    const { machine } = await granted()
    const refuse = async () => {
      const wish = { token: machine.token, bundle_id: 'other' }
      return (await fetchValues(api, wish, { 'x-forwarded-for': '198.51.100.9' })).answer.status
    }
    const statuses = []
    for (let call = 0; call < 32; call += 1) statuses.push(await refuse())
    expect(statuses).toEqual([...Array.from({ length: 30 }, () => 403), 429, 429])
    const refusals = (await eventsOf(api, owner, 'delivery.refused')).filter(
      ({ target }) => target.id === machine.id,
    )
    expect(refusals.map(({ data }) => data)).toEqual([{ reason: 'not_granted', count: 1 }])
  })

  test('a server that stops tells of repeated refusals, and only of repeated ones', async () => {
    const first = await startTestApi(kind)
    const as = await first.newOwner()
    const [repeating, other] = [await newMachine(first, as), await newMachine(first, as)]
    for (const { token } of [repeating, repeating, repeating, other])
      await fetchValues(first, { token, bundle_id: 'other' })
    await first.close()
    const next = await startTestApi('sqlite', first.settings)
    const refusals = await eventsOf(next, as, 'delivery.refused')
    await next.close()
    const countsOf = ({ id }: TestMachine) =>
      refusals.flatMap(({ target, data }) => (target.id === id ? [data['count']] : []))
    expect([countsOf(repeating), countsOf(other)]).toEqual([[2, 1], [1]])
  })

  test('a machine gets at most 600 deliveries a minute', async () => {
    const { machine, bundle } = await granted()
    const wish = { token: machine.token, bundle_id: bundle.id, include_keys: ['NOT_THERE'] }
    const calls = await Promise.all(Array.from({ length: 602 }, () => fetchValues(api, wish)))
    const statuses = calls.map(({ answer }) => answer.status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
    clockMs += 61_000
  })

  test.each([
    ['no Authorization', {}],
    ['another scheme', { authorization: 'Basic a2Z0OnBhc3M=' }],
    ['no token', { authorization: 'Bearer ' }],
    ['a text that is no token', { authorization: 'Bearer kfm_x' }],
    ['an unknown token', { authorization: 'Bearer kfm_1qe4Lu2mocTfktLY76oNVmefgoTFePvhPrbkbVEOevO3LSBXn' }],
  ])('%s: 401, always in the same words', async (_what, headers) => {
    const answer = await api.call('createDelivery', { headers, body: { client_pubkey: 'x', bundle_id: 'b' } })
    expect([answer.status, answer.text]).toEqual([401, '{"error":"Unauthorized","code":"unauthorized"}'])
  })

  test('a low-order key is refused, and a payload over the bound', async () => {
    const { machine, bundle } = await granted()
    const headers = { authorization: `Bearer ${machine.token}` }
    const body = { client_pubkey: Buffer.alloc(32).toString('base64'), bundle_id: bundle.id }
    expect((await api.call('createDelivery', { headers, body })).status).toBe(400)
  })

  test('after an acknowledged end, removal or stop nothing is delivered', async () => {
    const ends = [
      (machine: TestMachine) =>
        api.call('endMachineToken', {
          as: owner,
          params: { machine_id: machine.id, token_id: machine.tokenId },
        }),
      (machine: TestMachine, bundle: TestBundle) =>
        api.call('revokeBundle', { as: owner, params: { machine_id: machine.id, bundle_id: bundle.id } }),
      (machine: TestMachine) =>
        api.call('updateMachine', {
          as: owner,
          params: { machine_id: machine.id },
          body: { is_active: false },
        }),
      (machine: TestMachine) => api.call('deleteMachine', { as: owner, params: { machine_id: machine.id } }),
    ]
    for (const end of ends) {
      const { machine, bundle } = await granted()
      const wish = { token: machine.token, bundle_id: bundle.id, include_keys: ['PORT'] }
      let isEnded = false
      const answered: number[] = []
      const late: number[] = []
      const rounds = Array.from({ length: 8 }, async (_, line) => {
        for (let call = 0; call < 12; call += 1) {
          const address = { 'x-forwarded-for': `10.9.${line}.${call}` }
          const begunAfterEnd = isEnded
          const { answer } = await fetchValues(api, wish, address)
          answered.push(answer.status)
          if (begunAfterEnd) late.push(answer.status)
        }
      })
      await until('a call that was answered', () => answered.length > 0)
      expect((await end(machine, bundle)).status).toBe(200)
      isEnded = true
      const before = await deliveriesOf(machine)
      await Promise.all(rounds)
      expect(await deliveriesOf(machine)).toBe(before)
      expect(answered.filter((status) => status === 200)).toHaveLength(before)
      expect(late.filter((status) => status === 200)).toEqual([])
      expect(late.every((status) => [401, 403, 429].includes(status))).toBe(true)
    }
  })

  async function deliveriesOf(machine: TestMachine): Promise<number> {
    const { total } = await database.query
      .selectFrom('deliveries')
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('machine_id', '=', machine.id)
      .executeTakeFirstOrThrow()
    return total
  }

  test('tokens and values are in no table, no event and no log line', async () => {
    const { machine, bundle } = await granted()
    await fetchValues(api, { token: machine.token, bundle_id: bundle.id })
    const events = (await api.call('listAudit', { as: owner, query: { limit: '1000' } })).text
    const tokens = await database.query.selectFrom('machine_tokens').selectAll().execute()
    for (const text of [api.log(), events, JSON.stringify(tokens)]) {
      expect(text).not.toContain(machine.token)
      expect(text).not.toContain('secret-marker')
    }
  })
})
