import { randomUUID } from 'node:crypto'
import { type ApiEndpointName, apiEndpoints } from '@keyferry/contract'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import type { Database } from '../src/storage/base/queries.ts'
import {
  type CallParts,
  layerHeaders,
  oneDatabase,
  openDatabaseOf,
  startTestApi,
  type TestApi,
} from './api.ts'
import { EVENTS } from './endpoint-events.ts'
import { faultyDatabase } from './faulty-database.ts'
import { Faults } from './faulty-requests.ts'
import type { CallerKind } from './isolation-table.ts'
import { ACCOUNT, callerHeaders, createWorld, freshCall, type World } from './isolation-world.ts'

const names = Object.keys(apiEndpoints).filter((name): name is ApiEndpointName => name in apiEndpoints)
const EARLIER_MS = 1_000
const CALLERS: { [N in ApiEndpointName]?: CallerKind } = {
  acceptInvitation: 'outsider',
  vouchForRequest: 'member',
}
const REFUSED_CALLERS: readonly CallerKind[] = ['unsigned', 'forged', 'outsider', 'inactive member']

describe.each(oneDatabase)('the events of each endpoint on %s', (kind) => {
  let api: TestApi
  let database: Database
  let world: World
  let address = 0
  const faults = new Faults()
  beforeAll(async () => {
    const started = await startTestApi(kind, {
      trustProxy: ['127.0.0.1'],
      // No request expires, which would be an event too.
      requestTtlSeconds: 3_600,
      aroundDatabase: (opened) => faultyDatabase(opened, faults),
    })
    // An address for each call keeps the limits of one address out of the way.
    const call: TestApi['call'] = (name, parts = {}) => {
      address += 1
      const forwarded = `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`
      return started.call(name, { ...parts, headers: { 'x-forwarded-for': forwarded, ...parts.headers } })
    }
    api = { ...started, call }
    database = await openDatabaseOf(api)
    world = await createWorld(api, database)
    await api.call('setUpAccount', { body: ACCOUNT })
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  /** The events from a time on. One statement sees each event once, wherever it is. */
  async function bodies(since: string): Promise<string[]> {
    const { rows } = await sql<{ body: string }>`select body from events where created_at >= ${since}
      union all select body from audit_log where at >= ${since}`.execute(database.query)
    return rows.map(({ body }) => body)
  }

  /** Make a call and tell which events it left in any workspace.
   * @param isExpected whether to stop waiting for more */
  async function eventsOf(
    name: ApiEndpointName,
    parts: CallParts,
    isExpected: (actions: string[]) => boolean = () => true,
  ) {
    // All that the call can leave is newer, with room for what earlier calls leave after their answers.
    const since = new Date(Date.now() - EARLIER_MS).toISOString()
    const before = new Set((await bodies(since)).map(idOf))
    const { status } = await api.call(name, parts)
    const actions = await until(`the events of ${name}`, async () => {
      const added = (await bodies(since)).filter((body) => !before.has(idOf(body)))
      const found = added.map(fieldsBy).toSorted()
      return isExpected(found) && found
    })
    return { status, actions }
  }

  /** A call that succeeds. */
  async function goodCall(name: ApiEndpointName): Promise<CallParts> {
    const parts = await freshCall(api, world, name)
    const caller = CALLERS[name] ?? 'owner'
    if (name === 'vouchForRequest')
      await api.call('changeBundlePolicy', { ...parts, as: world.owner, body: { approvers: 'owner' } })
    const { method, path } = apiEndpoints[name]
    const signed =
      name === 'ensureUser' ? layerHeaders(method, path, parts.body) : callerHeaders(world, caller)
    return { ...parts, headers: { ...parts.headers, ...signed } }
  }

  test.each(names.filter((name) => EVENTS[name] !== null))('%s adds exactly its events', async (name) => {
    const parts = await goodCall(name)
    if (name === 'waitForApproval') {
      const body = { bundle_id: parts.params?.['bundle_id'], include_keys: [parts.params?.['key_name']] }
      await api.call('encryptFromBundle', { ...parts, as: world.owner, body })
    }
    // The hand-over is confirmed after the answer.
    const isOver = (actions: string[]) => name !== 'waitForApproval' || actions.length > 0
    const { status, actions } = await eventsOf(name, parts, isOver)
    expect({ isDone: status < 300, actions }).toEqual({ isDone: true, actions: EVENTS[name] })
  })

  const writing = names.filter((name) => name !== 'waitForApproval' && (EVENTS[name]?.length ?? 0) > 0)

  test.each(writing)(
    '%s does nothing when its commit fails, and succeeds when it is tried again',
    async (name) => {
      const parts = await goodCall(name)
      faults.next('before')
      expect(await eventsOf(name, parts)).toEqual({ status: 503, actions: [] })
      // A signature of the web-facing layer counts once.
      const signed = name === 'ensureUser' ? layerHeaders('POST', '/api/v1/users/ensure', parts.body) : {}
      const again = { ...parts, headers: { ...parts.headers, ...signed } }
      const { status, actions } = await eventsOf(name, again)
      expect({ isDone: status < 300, actions }).toEqual({ isDone: true, actions: EVENTS[name] })
    },
  )

  test.each(writing)('%s is done whole when the reply of its commit is lost', async (name) => {
    const parts = await goodCall(name)
    faults.next('after')
    expect(await eventsOf(name, parts)).toEqual({ status: 503, actions: EVENTS[name] })
  })

  const guarded = names.filter((name) => apiEndpoints[name].access !== 'public')

  test.each(guarded)('%s adds no event when it is refused', async (name) => {
    const parts = await freshCall(api, world, name)
    const refused = REFUSED_CALLERS.map((caller) => ({ ...parts, headers: callerHeaders(world, caller) }))
    const owner = { ...parts, headers: { ...parts.headers, ...callerHeaders(world, 'owner') } }
    const malformed = 'body' in apiEndpoints[name] ? [{ ...owner, body: 'not an object' }] : []
    const calls = [...refused, ...malformed, { ...owner, params: unknownIds(parts) }]
    const since = new Date(Date.now() - EARLIER_MS).toISOString()
    const known = async () => new Set((await bodies(since)).map(idOf))
    let before = await known()
    for (const call of calls) {
      const { status } = await api.call(name, call)
      // Some endpoints take an outsider, or have no body that could be wrong.
      if (status < 400) before = await known()
    }
    const added = (await bodies(since)).filter((body) => !before.has(idOf(body)))
    expect(added.map(fieldsBy)).toEqual([])
  })

  test('a changed value, name, mark or expiry of a key is one event each', async () => {
    const { params = {} } = await freshCall(api, world, 'updateKey')
    const change = async (body: object) =>
      (await eventsOf('updateKey', { params, body, as: world.owner })).actions
    expect(await change({ value: 'another' })).toEqual(['key.changed version is_secret=true changed'])
    expect(await change({ value: 'another' })).toEqual([])
    expect(await change({ is_secret: false })).toEqual([
      'key.declared_public version is_secret=false changed',
    ])
    expect(await change({ is_secret: true })).toEqual(['key.declared_secret version is_secret=true changed'])
    expect(await change({ expires_at: '2030-01-01T00:00:00.000Z' })).toEqual([
      'key.described version is_secret=true changed',
    ])
    expect(await change({ value: 'third', expected_version: 1 })).toEqual([])
  })
})

function unknownIds({ params = {} }: CallParts): Record<string, string> {
  return Object.fromEntries(Object.keys(params).map((name) => [name, randomUUID()]))
}

const idOf = (body: string) => /"id":"([^"]+)"/.exec(body)?.[1]

function fieldsBy(body: string): string {
  const { action, data }: { action: string; data: object } = JSON.parse(body)
  const fields = Object.entries(data).map(([name, value]) =>
    typeof value === 'boolean' ? `${name}=${value}` : name,
  )
  return [action, ...fields].join(' ')
}
