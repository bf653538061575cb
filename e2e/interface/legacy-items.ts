import { beforeAll, expect, test } from 'vitest'
import { type Caller, expectFailure, newName, textOf } from './client.ts'
import { newPerson, type Running } from './servers.ts'

const UNKNOWN = '/api/v1/bundles/00000000-0000-4000-8000-000000000000'

/** Import, export and the deprecated items. */
export function legacyItems(running: Running): void {
  let caller: Caller
  beforeAll(async () => {
    ;({ caller } = await newPerson(running(), running().url))
  })
  const newBundle = async () =>
    `/api/v1/bundles/${textOf(await caller.post('/api/v1/bundles', { name: newName('app') }), 'id')}`
  const item = (bundle: string, body: object) => caller.post(`${bundle}/items`, body)

  test('an ENV text is imported, its entries secret, and existing keys are updated', async () => {
    const bundle = await newBundle()
    const payload = ['# a comment', '', 'A=1', 'B="two words"', "C='single'", 'D="two', 'lines"', 'E='].join(
      '\n',
    )
    const first = await caller.post(`${bundle}/import`, { format: 'env', payload })
    expect([first.status, first.json]).toMatchObject([200, { ok: true, imported: 5, created: 5, updated: 0 }])
    const second = await caller.post(`${bundle}/import`, { format: 'env', payload: 'A=3\nF=4\n' })
    expect([second.status, second.json]).toMatchObject([
      200,
      { ok: true, imported: 1, created: 1, updated: 1 },
    ])
    const got = await caller.get(bundle)
    const items = ['A', 'B', 'C', 'D', 'E', 'F'].map((key) => ({ key, value: '*****', is_secret: true }))
    expect([got.status, got.json]).toMatchObject([200, { items }])
  })

  test('a JSON object is imported', async () => {
    const bundle = await newBundle()
    const answer = await caller.post(`${bundle}/import`, { format: 'json', data: { A: '1', B: 'x\ny' } })
    expect([answer.status, answer.json]).toMatchObject([200, { ok: true, imported: 2, updated: 0 }])
  })

  test('a format or payload that is invalid is 400, and nothing is imported', async () => {
    const bundle = await newBundle()
    const bad = [
      {},
      { format: 'yaml', payload: 'A: 1' },
      { format: 'env' },
      { format: 'env', payload: 'A=1\nnot an assignment' },
      { format: 'env', payload: 'A=1\nexport B=2' },
      { format: 'json', data: { A: 1 } },
      { format: 'json', payload: 'A=1' },
    ]
    for (const body of bad) expectFailure(await caller.post(`${bundle}/import`, body), 400)
    expect(await caller.get(bundle)).toMatchObject({ json: { items: [] } })
  })

  test('an export masks secrets and shows the rest, as ENV text or as JSON', async () => {
    const bundle = await newBundle()
    await item(bundle, { key: 'OPEN', value: 'plain', is_secret: false })
    await item(bundle, { key: 'SPACED', value: 'it\'s "two" words\nand lines', is_secret: false })
    await item(bundle, { key: 'TOKEN', value: 'hidden', is_secret: true })
    const env = await caller.get(`${bundle}/export`)
    expect([env.status, env.headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain/)])
    expect(env.text.split('\n')).toEqual(expect.arrayContaining(['OPEN=plain', 'TOKEN=*****']))
    expect((await caller.get(`${bundle}/export?format=env`)).text).toBe(env.text)
    const json = await caller.get(`${bundle}/export?format=json`)
    const values = { OPEN: 'plain', SPACED: 'it\'s "two" words\nand lines', TOKEN: '*****' }
    expect([json.status, json.json]).toEqual([200, values])
    const copy = await newBundle()
    const payload = env.text.replace('TOKEN=*****', '')
    expect((await caller.post(`${copy}/import`, { format: 'env', payload })).json).toMatchObject({
      created: 2,
    })
  })

  test('an export reveals values in development mode only', async () => {
    const bundle = await newBundle()
    for (const format of ['env', 'json'])
      expectFailure(await caller.get(`${bundle}/export?format=${format}&reveal=1`), 403)
  })

  test('an item is set, set again and deleted', async () => {
    const bundle = await newBundle()
    const secret = await item(bundle, { key: 'A', value: '1', is_secret: true })
    expect([secret.status, secret.json]).toMatchObject([200, { key: 'A', value: '*****', is_secret: true }])
    const open = await item(bundle, { key: 'A', value: '2', is_secret: false })
    expect([open.status, open.json]).toMatchObject([200, { key: 'A', value: '2', is_secret: false }])
    expect(await caller.get(bundle)).toMatchObject({ json: { items: [{ key: 'A', value: '2' }] } })
    expect(await caller.delete(`${bundle}/items/A`)).toMatchObject({ status: 200, json: { ok: true } })
    expect(await caller.get(bundle)).toMatchObject({ json: { items: [] } })
    expectFailure(await item(UNKNOWN, { key: 'A', value: '1' }), 404, 'bundle not found')
    expectFailure(await caller.delete(`${UNKNOWN}/items/A`), 404, 'bundle not found')
  })
}
