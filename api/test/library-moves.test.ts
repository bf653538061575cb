import { portableSeal } from '@keyferry/crypto/portable-seal'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { exportLibrary } from '../src/main.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { newBundle } from './approval-client.ts'

const MOST = 1_000
const BUNDLE_BOUND = 500
const OLD = '2024-01-31T12:00:00.000Z'

type Entry = { key: number; name: string; required: boolean }

const bundle = (name: string, entries: Entry[]) => ({ name, entries })
const entry = (key: number, name: string): Entry => ({ key, name, required: false })

const UNKNOWN =
  'the library file cannot be read: it does not hold a library that this version knows. Export it again.'
const CONTRADICTS = 'the library file contradicts itself: export it again'

describe.each(oneDatabase)('a move of a library, on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind, { maxBundleEntries: BUNDLE_BOUND, devAllowPlaintext: true })
  })
  afterAll(() => api.close())
  beforeEach(async () => {
    owner = await api.newOwner()
  })

  async function move(content: unknown, more: object = {}) {
    const { kid, public_key } = (await api.call('getDepositKey')).json
    const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
    const box = Buffer.from(portableSeal(bytes, Buffer.from(public_key, 'base64'))).toString('base64')
    const library = { keyferry_library: 1, kid, box_base64: box }
    return await api.call('moveLibrary', { as: owner, body: { library, ...more } })
  }

  const delivered = async (bundle_id = ''): Promise<object> => {
    const query = { format: 'json', reveal: '1' }
    return Object((await api.call('exportBundle', { as: owner, params: { bundle_id }, query })).json)
  }
  const bundles = async () => (await api.call('listBundles', { as: owner })).json

  test('the largest one arrives, with texts that only some keys have, and each key leaves an event', async () => {
    const keys = Array.from({ length: MOST }, (_, index) => ({
      name: `KEY_${index}`,
      value: `value ${index}`,
      ...(index % 3 === 0 ? { expires_at: '2031-01-31T12:00:00.000Z', rotate_after_days: 30 } : {}),
      ...(index % 2 === 0 ? { changed_at: OLD } : {}),
      ...(index === 1 ? { value: '${KEY_2}', is_template: true } : {}),
    }))
    const entries = keys.map(({ name }, index) => entry(index, name))
    const [first, second] = [entries.slice(0, BUNDLE_BOUND), entries.slice(BUNDLE_BOUND)]
    const both = [bundle('dev/app', first), bundle('dev/more', second)]
    expect((await move({ v: 1, keys, bundles: both })).status).toBe(200)
    const [app, more] = await bundles()
    expect(await delivered(app?.id)).toMatchObject({
      KEY_0: 'value 0',
      KEY_1: 'value 2',
      KEY_499: 'value 499',
    })
    expect(Object.keys(await delivered(more?.id))).toEqual(second.map(({ name }) => name))
    const log = await api.call('listAudit', { as: owner, query: { action: 'key.created', limit: '1000' } })
    expect(JSON.stringify(log.json)).toContain('KEY_999')
    expect(JSON.stringify(log.json)).not.toContain('value 999')
  })

  const moved = async (key: object) => {
    expect((await move({ v: 1, keys: [{ name: 'A', value: '1', ...key }], bundles: [] })).status).toBe(200)
    const [found] = (await api.call('listKeys', { as: owner })).json
    const params = { key_id: found?.id ?? '' }
    const versions = async () => (await api.call('listKeyVersions', { as: owner, params })).json
    const due = async () => (await api.call('listKeys', { as: owner, query: { due: '1' } })).json.length
    const update = async (body: object) => (await api.call('updateKey', { as: owner, params, body })).json
    return { found, versions, due, update }
  }

  test('the age of a value arrives as a claim: it counts for the rotation, until the value changes', async () => {
    const { found, versions, due, update } = await moved({ changed_at: OLD, rotate_after_days: 90 })
    expect(found).toMatchObject({ value_changed_elsewhere_at: OLD, due: 'rotate' })
    expect(Date.parse(found?.value_set_at ?? '')).toBeGreaterThan(Date.parse(OLD))
    expect(await due()).toBe(1)
    expect(await update({ rotate_after_days: 3_650 })).toMatchObject({ due: null })
    expect(await update({ rotate_after_days: 1 })).toMatchObject({ due: 'rotate' })
    expect(await update({ value: '2' })).toMatchObject({ due: null, value_changed_elsewhere_at: null })
    expect(await versions()).toMatchObject([
      { version: 2, how: 'set', changed_elsewhere_at: null },
      { version: 1, how: 'move', changed_elsewhere_at: OLD },
    ])
  })

  test('the log names who moved a value and when, and has the claim only as a detail', async () => {
    const { found } = await moved({ changed_at: OLD })
    const { json } = await api.call('listAudit', { as: owner, query: { action: 'key.created' } })
    expect(json).toMatchObject([{ at: found?.value_set_at, data: { changed_elsewhere_at: OLD } }])
    expect(json[0]?.actor.id).toBe(found?.value_set_by.id)
  })

  test.each([
    ['before there was a server', '1970-01-01T00:00:00Z'],
    ['in the future', '2999-01-01T00:00:00Z'],
    ['that the file does not say', null],
  ])('a last change %s counts as changed by the move', async (_when, changed_at) => {
    const { found } = await moved({ changed_at, rotate_after_days: 90 })
    expect(found).toMatchObject({ value_changed_elsewhere_at: null, due: null })
  })

  test('an export of some bundles has these bundles and their keys', async () => {
    await using stack = new AsyncDisposableStack()
    const local = await startTestApi(kind, { devAllowPlaintext: true })
    stack.defer(() => local.close())
    const as = await local.newOwner()
    const one = await newBundle(local, as, { A: '1', BOTH: '2' })
    await newBundle(local, as, { B: '3' })
    const { kid, public_key } = (await api.call('getDepositKey')).json
    const publicKey = Buffer.from(public_key, 'base64')
    const some = await exportLibrary(local.settings, { kid, publicKey, bundleNames: [one.name] })
    expect(some).toMatchObject({ bundles: 1, keys: 2 })
    const library = JSON.parse(some.text)
    expect((await api.call('moveLibrary', { as: owner, body: { library } })).status).toBe(200)
    expect((await bundles()).map(({ name }) => name)).toEqual([one.name])
    const none = exportLibrary(local.settings, { kid, publicKey, bundleNames: ['dev/three'] })
    await expect(none).rejects.toThrow('the bundle "dev/three" does not exist')
  })

  test('a library can be exported only if the server has exactly one workspace', async () => {
    await using stack = new AsyncDisposableStack()
    const local = await startTestApi(kind)
    stack.defer(() => local.close())
    const { kid, public_key } = (await local.call('getDepositKey')).json
    const exported = () =>
      exportLibrary(local.settings, { kid, publicKey: Buffer.from(public_key, 'base64'), bundleNames: [] })
    await expect(exported()).rejects.toThrow('this database has no library')
    await local.newOwner()
    expect(await exported()).toMatchObject({ bundles: 0, keys: 0 })
    await local.newOwner()
    await expect(exported()).rejects.toThrow(
      'this database has several workspaces: only the library of a local server can be moved',
    )
  })

  test('a bundle that is too large undoes the whole move', async () => {
    const keys = Array.from({ length: BUNDLE_BOUND + 1 }, (_, index) => ({ name: `K${index}`, value: '1' }))
    const full = keys.map(({ name }, index) => entry(index, name))
    const { status, json } = await move({
      v: 1,
      keys,
      bundles: [bundle('a', [entry(0, 'K0')]), bundle('full', full)],
    })
    expect([status, json]).toMatchObject([409, { code: 'bundle_full' }])
    expect(await bundles()).toEqual([])
    expect((await api.call('listKeys', { as: owner })).json).toEqual([])
  })

  test.each([
    ['no JSON', 'planted', UNKNOWN],
    ['another version', { v: 2, keys: [], bundles: [] }, UNKNOWN],
    ['a name twice', { v: 1, keys: [], bundles: [bundle('a', []), bundle('a', [])] }, CONTRADICTS],
    [
      'a key twice in a bundle',
      { v: 1, keys: [{ name: 'A', value: '1' }], bundles: [bundle('a', [entry(0, 'A'), entry(0, 'B')])] },
      CONTRADICTS,
    ],
    [
      'a last change that is no time',
      { v: 1, keys: [{ name: 'A', value: '1', changed_at: 'planted' }], bundles: [] },
      UNKNOWN,
    ],
    ['an entry without a key', { v: 1, keys: [], bundles: [bundle('a', [entry(0, 'A')])] }, CONTRADICTS],
    [
      'a template that is none',
      { v: 1, keys: [{ name: 'A', value: '${', is_template: true }], bundles: [] },
      'the ${ at character 1 must begin ${NAME} or ${NAME|uri}: write $${ for the text ${',
    ],
    [
      'too many keys',
      { v: 1, keys: Array.from({ length: MOST + 1 }, (_, n) => ({ name: `K${n}`, value: '' })), bundles: [] },
      UNKNOWN,
    ],
  ])('%s is 400, shows nothing of the file, and nothing arrives', async (_what, content, refusal) => {
    const answer = await move(content)
    expectError(answer, 400, refusal, 'invalid')
    const { json } = answer
    expect(JSON.stringify(json)).not.toContain(': .')
    expect(JSON.stringify(json)).not.toContain('planted')
    expect((await api.call('listKeys', { as: owner })).json).toEqual([])
  })

  test('a change of a shared key after the plan refuses the move', async () => {
    const body = { name: 'A', value: '1', is_secret: false }
    const { json: key } = await api.call('createKey', { as: owner, body })
    const content = { v: 1, keys: [body], bundles: [bundle('a', [entry(0, 'A')])] }
    const { kid, public_key } = (await api.call('getDepositKey')).json
    const box = portableSeal(Buffer.from(JSON.stringify(content)), Buffer.from(public_key, 'base64'))
    const library = { keyferry_library: 1, kid, box_base64: Buffer.from(box).toString('base64') }
    const { json: plan } = await api.call('moveLibrary', { as: owner, body: { library, dry_run: true } })
    expect(plan.keys).toEqual([{ name: 'A', action: 'share', key_name: 'A', is_secret: false }])
    await api.call('updateKey', { as: owner, params: { key_id: key.id }, body: { value: '2' } })
    const late = await api.call('moveLibrary', { as: owner, body: { library, plan_id: plan.plan_id } })
    expectError(late, 409, 'the library changed after this import was planned: plan it again', 'plan_changed')
    expect(await bundles()).toEqual([])
  })
})
