import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/storage/base/queries.ts'
import { expectError, type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'
import { joinWorkspace } from './joined.ts'

const KEPT = 300

const byText = (one: object, other: object) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1)
const by = ({ userId: id }: Identity) => expect.objectContaining({ kind: 'user', id })

describe.each(oneDatabase)('versions of keys on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let database: Database
  beforeAll(async () => {
    api = await startTestApi(kind, { versionsKept: KEPT })
    owner = await api.newOwner()
    database = await openDatabaseOf(api)
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  const create = async (value: string, is_secret = false) => {
    const name = `K${randomUUID().replaceAll('-', '')}`
    return (await api.call('createKey', { as: owner, body: { name, value, is_secret } })).json
  }
  const update = (key_id: string, body: unknown) =>
    api.call('updateKey', { as: owner, params: { key_id }, body })
  const restore = (key_id: string, version: number, expected_version?: number) =>
    api.call('restoreKeyVersion', {
      as: owner,
      params: { key_id },
      body: { version, ...(expected_version === undefined ? {} : { expected_version }) },
    })
  const destroy = (key_id: string, version: number) =>
    api.call('destroyKeyVersion', { as: owner, params: { key_id, version: String(version) } })
  const versions = async (key_id: string, query = {}) =>
    (await api.call('listKeyVersions', { as: owner, params: { key_id }, query })).json
  const eventsOf = async (key_id: string) => {
    const rows = await database.query
      .selectFrom('events')
      .select('body')
      .union(database.query.selectFrom('audit_log').select('body'))
      .execute()
    const bodies = rows.map(({ body }) => JSON.parse(body))
    return bodies.filter(({ target }) => target.id === key_id).map(({ action }) => action)
  }

  test('each new value is the next version, and the same value again leaves no trace', async () => {
    const key = await create('one')
    expect((await update(key.id, { value: 'two' })).json).toMatchObject({ version: 2, value: 'two' })
    const again = (await update(key.id, { value: 'two' })).json
    expect(again).toMatchObject({ version: 2 })
    expect((await versions(key.id)).map(({ version, value, current }) => [version, value, current])).toEqual([
      [2, 'two', true],
      [1, 'one', false],
    ])
    expect(await eventsOf(key.id)).toEqual(expect.arrayContaining(['key.created', 'key.changed']))
    expect(await eventsOf(key.id)).toHaveLength(2)
  })

  test('a change of a secret tells an owner which other variables still have the value of before', async () => {
    const old = `sk_live_${randomUUID()}`
    const rotated = await create(old, true)
    const loose = await create(old, true)
    const readable = await create(old)
    await create(`sk_live_${randomUUID()}`, true)
    const { json: bundle } = await api.call('createBundle', {
      as: owner,
      body: { name: `dev/${randomUUID()}` },
    })
    const attached = { bundle_id: bundle.id, key_id: readable.id }
    await api.call('attachKey', { as: owner, params: attached, body: { as: 'STRIPE' } })
    const change = (key_id: string, value: string, as = owner, query = { facts: '1' } as const) =>
      api.call('updateKey', { as, params: { key_id }, body: { value }, query })
    const still = [
      { name: loose.name, bundle: null },
      { name: 'STRIPE', bundle: bundle.name },
    ]
    const former = (await change(rotated.id, 'sk_live_new')).json.former_in ?? []
    expect(former.toSorted(byText)).toEqual(still.toSorted(byText))
    expect((await update(rotated.id, { value: 'sk_live_newer' })).json).not.toHaveProperty('former_in')
    const entries = [{ name: 'STRIPE', value: 'another one', is_secret: true }]
    const body = { bundle: bundle.name, entries, replace: ['STRIPE'] }
    expect((await api.call('importVariables', { as: owner, body })).json.former_in).toEqual([])
    const [second, third] = [await create(`${old} 2`, true), await create(`${old} 2`, true)]
    const place = { bundle_id: bundle.id, key_id: second.id }
    await api.call('attachKey', { as: owner, params: place, body: { as: 'SECOND' } })
    const also = [
      { bundle: bundle.name, entries: [{ name: 'SECOND', value: 'a new secret', is_secret: true }] },
    ]
    const several = { bundle: `dev/${randomUUID()}`, entries: [{ name: 'NEW', value: 'x' }], also }
    const imported = await api.call('importVariables', { as: owner, body: several })
    expect(imported.json.former_in).toEqual([{ name: third.name, bundle: null }])
    // The answer leaves out short values and values that were readable: they are equal by chance.
    const short = await create('1', true)
    await create('1', true)
    expect((await change(short.id, '2')).json.former_in).toEqual([])
    // The value of before is the one of the last change, and here it was readable.
    const opened = await create(`${old} 3`, true)
    await create(`${old} 3`, true)
    expect((await update(opened.id, { value: 'a readable value', is_secret: false })).status).toBe(200)
    expect((await change(opened.id, 'another readable value')).json.former_in).toEqual([])
    const member = await joinWorkspace(api, owner, 'member')
    await api.call('changeTenantPolicy', { as: owner, body: { changers: 'member' } })
    const params = { bundle_id: bundle.id, key_id: loose.id }
    await api.call('attachKey', { as: owner, params })
    const mine = await change(loose.id, 'by a member', member)
    expect(mine.status).toBe(200)
    expect(mine.json).not.toHaveProperty('former_in')
  })

  test('a restored value is a new version, and restoring it again changes nothing', async () => {
    const key = await create('one')
    await update(key.id, { value: 'two' })
    expect((await restore(key.id, 1)).json).toMatchObject({ version: 3, value: 'one' })
    expect((await restore(key.id, 1)).json).toMatchObject({ version: 3 })
    expect((await versions(key.id))[0]).toMatchObject({ version: 3, how: 'restore', restored_from: 1 })
    expectError(await restore(key.id, 9), 404, 'Key has no version 9')
    for (const answer of [await restore(key.id, 2 ** 31), await destroy(key.id, 2 ** 31)]) {
      expectError(answer, 400, 'version must be a whole number from 1 to 2147483647', 'invalid')
    }
  })

  test('a member undoes their own change for 10 minutes, and the value stays that of its setter', async () => {
    const member = await joinWorkspace(api, owner, 'member')
    const as = member
    await api.call('changeTenantPolicy', { as: owner, body: { changers: 'member' } })
    const key = await create('MARKED by the owner', true)
    const params = { key_id: key.id }
    const undo = (version: number) => api.call('restoreKeyVersion', { as, params, body: { version } })
    await update(key.id, { value: 'two' })
    expectError(await undo(1), 403, 'Forbidden: owner role required')
    await api.call('updateKey', { as, params, body: { value: 'three' } })
    expectError(await undo(1), 403, 'Forbidden: owner role required')
    expect(await undo(2)).toMatchObject({ status: 200, json: { version: 4, value_set_by: by(owner) } })
    // The value is the owner's again, so the member can neither show it nor undo once more.
    const show = await api.call('updateKey', { as, params, body: { is_secret: false } })
    expectError(show, 403, 'Forbidden: owner role required')
    expectError(await undo(3), 403, 'Forbidden: owner role required')
    await api.call('updateKey', { as, params, body: { value: 'five' } })
    const early = new Date(Date.now() - 601_000).toISOString()
    await database.query.updateTable('keys').set({ value_set_at: early }).where('id', '=', key.id).execute()
    expectError(await undo(4), 403, 'Forbidden: owner role required')
    await api.call('changeTenantPolicy', { as: owner, body: { changers: 'setter' } })
  })

  test('a member who may not change the value any more cannot undo', async () => {
    const as = await joinWorkspace(api, owner, 'member')
    const name = `K${randomUUID().replaceAll('-', '')}`
    const { id: key_id } = (await api.call('createKey', { as, body: { name, value: 'one' } })).json
    await api.call('updateKey', { as, params: { key_id }, body: { value: 'two' } })
    await api.call('changeTenantPolicy', { as: owner, body: { changers: 'owner' } })
    const undo = await api.call('restoreKeyVersion', { as, params: { key_id }, body: { version: 1 } })
    expectError(undo, 403, 'Forbidden: owner role required')
    await api.call('changeTenantPolicy', { as: owner, body: { changers: 'setter' } })
  })

  test('two restores at the same time make one version', async () => {
    const key = await create('one')
    await update(key.id, { value: 'two' })
    const answers = await Promise.all([restore(key.id, 1), restore(key.id, 1)])
    expect(answers.map(({ json }) => json.version)).toEqual([3, 3])
    expect(await versions(key.id)).toHaveLength(3)
  })

  test('a change that expects another version is refused and says which there is', async () => {
    const key = await create('one')
    const two = await update(key.id, { value: 'two', expected_version: 1 })
    const { version, value_set_at: set_at } = two.json
    expect(version).toBe(2)
    for (const answer of [
      await update(key.id, { value: 'three', expected_version: 1 }),
      await restore(key.id, 1, 1),
    ]) {
      expect(answer).toMatchObject({
        status: 409,
        failure: { code: 'version_conflict', details: { version: 2, set_by: by(owner), set_at } },
      })
    }
    expect((await versions(key.id))[0]).toMatchObject({ version: 2, value: 'two' })
  })

  test('a destroyed value is gone and cannot be restored; the current one cannot be destroyed', async () => {
    const key = await create('one')
    await update(key.id, { value: 'two' })
    expect((await destroy(key.id, 1)).status).toBe(200)
    expect((await destroy(key.id, 1)).status).toBe(200)
    expect((await versions(key.id))[1]).toMatchObject({ version: 1, value: null })
    expectError(await restore(key.id, 1), 409, 'the value of version 1 was destroyed', 'version_destroyed')
    expectError(
      await destroy(key.id, 2),
      409,
      'version 2 is the current value: set another value first',
      'conflict',
    )
    expectError(await destroy(key.id, 3), 404, 'Key has no version 3')
    const row = await database.query
      .selectFrom('key_versions')
      .select('value')
      .where('key_id', '=', key.id)
      .executeTakeFirstOrThrow()
    expect(row.value).toBeNull()
  })

  test('no answer shows a value that was secret, also after the key was declared not secret', async () => {
    const key = await create('public-first')
    await update(key.id, { value: 'MARKED-one', is_secret: true })
    await update(key.id, { value: 'MARKED-two' })
    await update(key.id, { value: 'shown', is_secret: false })
    const restored = await restore(key.id, 2)
    const texts = [JSON.stringify(await versions(key.id)), restored.text]
    await update(key.id, { value: 'shown again', is_secret: false })
    texts.push(JSON.stringify(await versions(key.id)))
    for (const text of texts) expect(text).not.toContain('MARKED')
    expect(restored.json.is_secret).toBe(true)
    expect((await versions(key.id)).find(({ version }) => version === 1)?.value).toBe('public-first')
    await update(key.id, { is_secret: true })
    expect(JSON.stringify(await versions(key.id))).not.toContain('public-first')
  })

  test('a value that became secret after it was set is shown no more', async () => {
    const key = await create('MARKED-later')
    await update(key.id, { is_secret: true })
    await update(key.id, { value: 'shown', is_secret: false })
    expect(JSON.stringify(await versions(key.id))).not.toContain('MARKED')
    expect((await restore(key.id, 1)).json).toMatchObject({ is_secret: true, version: 3 })
    await update(key.id, { is_secret: false })
    await update(key.id, { value: 'shown again' })
    expect((await versions(key.id)).map(({ value }) => value)).toEqual([
      'shown again',
      '*****',
      'shown',
      '*****',
    ])
  })

  test('an old value opens after the mark of its key changed', async () => {
    const key = await create('one', true)
    await update(key.id, { value: 'two' })
    await update(key.id, { is_secret: false })
    await restore(key.id, 1)
    expect((await update(key.id, { is_secret: false })).json.value).toBe('one')
  })

  test('of 100 racing updates and restores, versions are dense and each has one event', async () => {
    const key = await create('v0')
    const calls = Array.from({ length: 100 }, (_, index) =>
      index % 4 === 3 ? restore(key.id, 1) : update(key.id, { value: `v${index + 1}` }),
    )
    const answers = await Promise.all(calls)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    const all = await versions(key.id, { limit: '1000' })
    expect(all.map(({ version }) => version)).toEqual(all.map((_, index) => all.length - index))
    const events = await eventsOf(key.id)
    expect(events).toHaveLength(all.length)
    for (const { value, how } of all.slice(0, -1)) expect(value === 'v0').toBe(how === 'restore')
  })

  test('swapped versions are an error and never a value', async () => {
    const key = await create('one')
    await update(key.id, { value: 'two' })
    await update(key.id, { value: 'three' })
    const rows = await database.query
      .selectFrom('key_versions')
      .select(['version', 'value'])
      .where('key_id', '=', key.id)
      .orderBy('version')
      .execute()
    const swap = (version: number, value: Uint8Array | null) =>
      database.query
        .updateTable('key_versions')
        .set({ value })
        .where('key_id', '=', key.id)
        .where('version', '=', version)
        .execute()
    await swap(1, rows[1]?.value ?? null)
    await swap(2, rows[0]?.value ?? null)
    const { status } = await api.call('listKeyVersions', { as: owner, params: { key_id: key.id } })
    expect(status).toBe(500)
    expect((await restore(key.id, 1)).status).toBe(500)
  })

  test('a key tells when its value expires or should be replaced', async () => {
    const key = await create('one')
    const due = async (body: unknown) => (await update(key.id, body)).json.due
    expect(key).toMatchObject({ expires_at: null, rotate_after_days: null, due: null })
    expect(await due({ expires_at: '2020-01-01T00:00:00Z' })).toBe('expired')
    expect(await due({ expires_at: new Date(Date.now() + 86_400_000).toISOString() })).toBe('expiring')
    expect(await due({ expires_at: null, rotate_after_days: 1 })).toBeNull()
    const past = '2020-01-01T00:00:00.000Z'
    await database.query.updateTable('keys').set({ rotate_at: past }).where('id', '=', key.id).execute()
    const { json } = await api.call('getKey', { as: owner, params: { key_id: key.id } })
    expect(json.due).toBe('rotate')
    expect((await update(key.id, { value: 'two' })).json.due).toBeNull()
  })

  test('due=1 lists exactly the keys that say that they are due', async () => {
    const as = await api.newOwner()
    const make = (name: string, more: object) =>
      api.call('createKey', { as, body: { name, value: 'v', ...more } })
    await make('EXPIRED', { expires_at: day(-1) })
    await make('EXPIRING', { expires_at: day(13) })
    await make('LATER', { expires_at: day(15), rotate_after_days: 1 })
    await make('NEVER', {})
    const { json: rotated } = await make('ROTATE', { rotate_after_days: 1 })
    await database.query
      .updateTable('keys')
      .set({ rotate_at: day(-1) })
      .where('id', '=', rotated.id)
      .execute()
    const listed = await api.call('listKeys', { as, query: { due: '1' } })
    expect(listed.json.map(({ name, due }) => [name, due])).toEqual([
      ['EXPIRED', 'expired'],
      ['EXPIRING', 'expiring'],
      ['ROTATE', 'rotate'],
    ])
    expect(listed.headers.get('x-total-count')).toBe('3')
    expect((await api.call('listKeys', { as, query: { due: '1', query: 'TAT' } })).json).toHaveLength(1)
    expect((await api.call('listKeys', { as, query: { due: '0' } })).json).toHaveLength(5)
    expect((await api.call('listKeys', { as, query: { due: 'yes' } })).status).toBe(400)
    const ahead = await api.call('listKeys', { as, query: { due: '1', within_days: '20' } })
    expect(ahead.json.map(({ name, due_at }) => [name, due_at?.slice(0, 10)])).toEqual([
      ['EXPIRED', day(-1).slice(0, 10)],
      ['EXPIRING', day(13).slice(0, 10)],
      ['LATER', day(1).slice(0, 10)],
      ['ROTATE', day(-1).slice(0, 10)],
    ])
    expect(listed.json[0]).not.toHaveProperty('due_at')
  })

  test('used=0 lists the keys that are in no bundle, used=1 the others', async () => {
    const as = await api.newOwner()
    await api.call('importVariables', {
      as,
      body: { bundle: 'app', entries: [{ name: 'HELD', value: 'v' }] },
    })
    await api.call('createKey', { as, body: { name: 'SPARE', value: 'v' } })
    const named = async (used: string) =>
      (await api.call('listKeys', { as, query: { used } })).json.map(({ name }) => name)
    expect([await named('0'), await named('1')]).toEqual([['SPARE'], ['HELD']])
  })
})

describe.each(oneDatabase)('with three versions kept on %s', (kind) => {
  let api: TestApi
  beforeAll(async () => {
    api = await startTestApi(kind, { versionsKept: 3 })
  })
  afterAll(() => api.close())

  test('racing updates leave the newest three', async () => {
    const as = await api.newOwner()
    const { json: key } = await api.call('createKey', {
      as,
      body: { name: 'PRUNED', value: 'v', is_secret: false },
    })
    const params = { key_id: key.id }
    await Promise.all(
      Array.from({ length: 30 }, (_, index) =>
        api.call('updateKey', { as, params, body: { value: `v${index}` } }),
      ),
    )
    const { json, headers } = await api.call('listKeyVersions', { as, params })
    expect(json.map(({ version }) => version)).toEqual([31, 30, 29])
    expect(headers.get('x-total-count')).toBe('3')
    const pageFrom = async (offset: string) => {
      const page = await api.call('listKeyVersions', { as, params, query: { limit: '2', offset } })
      return page.json.map(({ version }) => version)
    }
    expect([await pageFrom('0'), await pageFrom('1'), await pageFrom('2')]).toEqual([
      [31, 30],
      [30, 29],
      [29],
    ])
  })
})

function day(days: number): string {
  return new Date(Date.now() + days * 86_400_000).toISOString()
}
