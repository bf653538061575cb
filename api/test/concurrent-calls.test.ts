import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { databases, type Identity, startTestApi, type TestApi } from './api.ts'

const OWNERS = 5
const KEYS_EACH = 12

describe.each(databases)('calls at the same time on %s', (kind) => {
  let api: TestApi
  let owners: Identity[]
  beforeAll(async () => {
    api = await startTestApi(kind)
    owners = await Promise.all(Array.from({ length: OWNERS }, () => api.newOwner()))
  })
  afterAll(() => api.close())

  const create = async (as: Identity, name: string) => {
    const body = { name, value: `of ${as.tenantId}`, is_secret: false }
    return (await api.call('createKey', { as, body })).json
  }

  test('each is answered with its own, an unknown or unsayable id included', async () => {
    const made = await Promise.all(
      owners.flatMap((as) =>
        Array.from({ length: KEYS_EACH }, async (_, index) => ({ as, key: await create(as, `K${index}`) })),
      ),
    )
    const strange = ['%00', 'a%00b', '%F0%9F%94%91', crypto.randomUUID()]
    const [answers, refusals] = await Promise.all([
      Promise.all(made.map(({ as, key }) => api.call('getKey', { as, params: { key_id: key.id } }))),
      Promise.all(
        made.slice(0, strange.length).map(async ({ as }, index) => {
          const key_id = decodeURIComponent(strange[index] ?? '')
          return (await api.call('getKey', { as, params: { key_id } })).status
        }),
      ),
    ])
    expect(answers.map(({ json }) => json.value)).toEqual(made.map(({ as }) => `of ${as.tenantId}`))
    expect(answers.map(({ json }) => json.id)).toEqual(made.map(({ key }) => key.id))
    expect(refusals.every((status) => status === 404 || status === 400)).toBe(true)
  })

  test('the total of a list counts what was made and deleted, each once', async () => {
    const as = await api.newOwner()
    const names = Array.from({ length: 30 }, (_, index) => `N${index}`)
    const outcomes = await Promise.all(
      [...names, ...names].map(
        async (name) => (await api.call('createKey', { as, body: { name, value: 'x' } })).status,
      ),
    )
    expect(outcomes.filter((status) => status === 201)).toHaveLength(names.length)
    const { json: keys } = await api.call('listKeys', { as })
    const gone = keys.slice(0, 10)
    await Promise.all(
      [...gone, ...gone].map(({ id }) => api.call('deleteKey', { as, params: { key_id: id } })),
    )
    const page = await api.call('listKeys', { as, query: { limit: '1' } })
    expect(page.headers.get('x-total-count')).toBe('20')
  })

  test('others are answered while a bundle is duplicated with a copy of each of its keys', async () => {
    const as = await api.newOwner()
    const names = Array.from({ length: 2_000 }, (_, index) => `N${index}`)
    for (const some of [names.slice(0, 1_000), names.slice(1_000)]) {
      const entries = some.map((name) => ({ name, value: 'x' }))
      const body = { bundle: 'dev/app', entries }
      expect((await api.call('importVariables', { as, body })).status).toBe(200)
    }
    const { json: bundles } = await api.call('listBundles', { as })
    const params = { bundle_id: bundles[0]?.id ?? '' }
    const state = { isOver: false }
    const body = { name: 'staging/app', own: names }
    const duplicated = api.call('duplicateBundle', { as, params, body }).finally(() => {
      state.isOver = true
    })
    let answered = 0
    while (!state.isOver) {
      expect((await api.call('listWebhooks', { as })).status).toBe(200)
      answered += 1
    }
    expect((await duplicated).status).toBe(201)
    expect(answered).toBeGreaterThan(3)
    const { json: copies } = await api.call('listKeys', { as, query: { query: 'STAGING_APP_N', limit: '1' } })
    expect(copies).toHaveLength(1)
    const { json: shared } = await api.call('listSharedKeys', { as, params })
    expect(shared).toEqual([])
  })
})
