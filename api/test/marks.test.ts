import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'

describe.each(oneDatabase)('who says that a value is not secret, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let dev: string

  beforeAll(async () => {
    api = await startTestApi(kind)
  })
  afterAll(() => api?.close())

  beforeEach(async () => {
    owner = await api.newOwner()
    const { json } = await importing('dev/app', [
      { name: 'LEVEL', value: 'info', is_secret: false },
      { name: 'PORT', value: '3000', is_secret: false },
      { name: 'TOKEN', value: 't' },
    ])
    dev = json.bundle_id ?? ''
  })

  const importing = (bundle: string, entries: readonly object[], options: object = {}) =>
    api.call('importVariables', { as: owner, body: { bundle, entries, ...options } })
  const duplicate = (name: string, body: object) =>
    api.call('duplicateBundle', { as: owner, params: { bundle_id: dev }, body: { name, ...body } })
  const marksIn = async (bundle_id: string) => {
    const { json } = await api.call('listBundleKeys', { as: owner, params: { bundle_id } })
    return Object.fromEntries(json.map(({ name, value }) => [name, value]))
  }
  /** What a plan says and what the bundle then delivers; `*****` is a secret. */
  const imported = async (bundle: string, entries: readonly object[], options: object = {}) => {
    const planned = (await importing(bundle, entries, { ...options, dry_run: true })).json
    const done = (await importing(bundle, entries, { ...options, plan_id: planned.plan_id })).json
    expect(done.plan_id).toBe(planned.plan_id)
    const steps = planned.plan.map(({ action, is_secret }) => `${action} ${is_secret ? 'secret' : 'public'}`)
    return { steps, values: await marksIn(done.bundle_id ?? '') }
  }

  test.each(['prod/app', 'staging/app', 'prod/shop'])(
    'a new value in %s is secret, whatever another bundle says',
    async (bundle) => {
      const { steps, values } = await imported(bundle, [
        { name: 'LEVEL', value: 'debug' },
        { name: 'PORT', value: '3000' },
        { name: 'HOST', value: 'localhost' },
      ])
      expect(steps).toEqual(['own secret', 'own secret', 'create secret'])
      expect(values).toEqual({ LEVEL: '*****', PORT: '*****', HOST: '*****' })
      expect(await marksIn(dev)).toMatchObject({ LEVEL: 'info', PORT: '3000' })
    },
  )

  test('an equal value that is said to be public is shared with one that is', async () => {
    const entries = [{ name: 'PORT', value: '3000', is_secret: false }]
    expect(await imported('prod/app', entries)).toEqual({
      steps: ['share public'],
      values: { PORT: '3000' },
    })
  })

  test("a bundle's own key keeps its mark", async () => {
    await importing('prod/app', [{ name: 'OWN', value: '1', is_secret: false }])
    expect(await imported('prod/app', [{ name: 'OWN', value: '2' }])).toEqual({
      steps: ['update public'],
      values: { OWN: '2' },
    })
  })

  test('an own value in the place of a shared one keeps its mark, also one that is copied', async () => {
    const share = ['PORT', 'TOKEN']
    await importing(
      'prod/app',
      share.map((name) => ({ name, value: '' })),
      { share },
    )
    const entries = share.map((name) => ({ name, value: '8080' }))
    const { steps, values } = await imported('prod/app', entries)
    expect([steps, values]).toEqual([['own public', 'own secret'], { PORT: '8080', TOKEN: '*****' }])
    const readable = [{ name: 'TOKEN', value: 'readable', is_secret: false }]
    await importing('qa/app', [...readable, { name: 'PORT', value: 's' }], { own: share })
    const copies = share.map((name) => ({ name, from: 'qa/app' }))
    expect((await imported('prod/app', copies, { own: share })).steps).toEqual([
      'update secret',
      'update secret',
    ])
  })

  test('replacing the key of another bundle makes it secret; of a bundle that delivers it, the mark stays', async () => {
    const replace = { replace: ['PORT', 'LEVEL'] }
    await importing('staging/app', [{ name: 'LEVEL', value: '' }], { share: ['LEVEL'] })
    const entries = ['PORT', 'LEVEL'].map((name) => ({ name, value: 'new' }))
    const { steps } = await imported('staging/app', entries, replace)
    expect(steps).toEqual(['replace secret', 'replace public'])
    expect(await marksIn(dev)).toMatchObject({ PORT: '*****', LEVEL: 'new' })
  })

  test('a copy from another bundle keeps its mark, as a shared key does', async () => {
    const from = ['PORT', 'LEVEL'].map((name) => ({ name, from: 'dev/app' }))
    expect((await imported('prod/app', from)).steps).toEqual(['share public', 'share public'])
    const copies = [...from, { name: 'TOKEN', from: 'dev/app' }]
    const { steps, values } = await imported('live/app', copies, { own: ['PORT', 'LEVEL', 'TOKEN'] })
    expect(steps).toEqual(['own public', 'own public', 'own secret'])
    expect(values).toEqual({ PORT: '3000', LEVEL: 'info', TOKEN: '*****' })
  })

  test('a plan with other marks is another plan', async () => {
    const { json } = await importing('prod/app', [{ name: 'HOST', value: 'h' }], { dry_run: true })
    const entries = [{ name: 'HOST', value: 'h', is_secret: false }]
    const { failure } = await importing('prod/app', entries, { plan_id: json.plan_id })
    expect(failure?.code).toBe('plan_changed')
  })

  test('a copy in a duplicate keeps its mark; with a new value it is secret unless the call names it', async () => {
    const own = ['LEVEL', 'PORT', 'TOKEN']
    const hidden = await duplicate('prod/app', { own, values: { PORT: '8080' } })
    expect(await marksIn(hidden.json.id)).toEqual({ LEVEL: 'info', PORT: '*****', TOKEN: '*****' })
    const shown = await duplicate('qa/app', { own, values: { PORT: '8080' }, public: ['PORT', 'LEVEL'] })
    expect(await marksIn(shown.json.id)).toEqual({ LEVEL: 'info', PORT: '8080', TOKEN: '*****' })
    const shared = await duplicate('test/app', { own: ['PORT'], public: ['LEVEL'] })
    expect([shared.status, shared.failure?.details]).toEqual([400, { field: 'public', names: ['LEVEL'] }])
  })

  test('a split keeps its mark, with a new value too', async () => {
    const share = ['LEVEL', 'PORT', 'TOKEN']
    const shared = share.map((name) => ({ name, value: '' }))
    const bundle_id = (await importing('prod/app', shared, { share })).json.bundle_id ?? ''
    const { json: keys } = await api.call('listBundleKeys', { as: owner, params: { bundle_id } })
    for (const { id: key_id, name } of keys) {
      const body = name === 'LEVEL' ? {} : { value: '8080' }
      await api.call('splitKey', { as: owner, params: { bundle_id, key_id }, body })
    }
    expect(await marksIn(bundle_id)).toEqual({ LEVEL: 'info', PORT: '8080', TOKEN: '*****' })
  })
})
