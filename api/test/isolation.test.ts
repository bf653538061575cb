import { randomUUID } from 'node:crypto'
import { type ApiEndpointName, apiEndpoints } from '@keyferry/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/storage/base/queries.ts'
import { type CallParts, databases, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'
import { createMachines, type MachinesOfWorld, machineHeaders } from './isolation-machines.ts'
import { CALLERS, EXPECTED, EXPECTED_OF_MACHINES, MACHINES } from './isolation-table.ts'
import { ACCOUNT, callerHeaders, createWorld, freshCall, type World } from './isolation-world.ts'

const names = Object.keys(EXPECTED).filter((name): name is ApiEndpointName => name in apiEndpoints)
// A request belongs to no tenant: every signed-in caller who has its id may see and deny it.
const withIds = names.filter(
  (name) =>
    apiEndpoints[name].access !== 'layer' &&
    (/\{(?!request_id)/.test(apiEndpoints[name].path) || name === 'encryptFromBundle'),
)

// What members may call about one bundle, key or machine.
const ofLibrary = names.filter(
  (name) =>
    apiEndpoints[name].access === 'member' && /\{(bundle|key|machine)_id\}/.test(apiEndpoints[name].path),
)
// A key that no bundle within reach contains, and a machine that may use none, are out of reach.
const WITHIN_REACH: Readonly<Partial<Record<ApiEndpointName, number>>> = { attachKey: 404, getMachine: 404 }

// A proof of a device is good for one call, and a message cannot be sent again while it is being sent.
const USED_UP: ReadonlySet<ApiEndpointName> = new Set(['waitForRememberedChange', 'resendWebhookMessage'])

test('the table names every endpoint', () => {
  expect(names.toSorted()).toEqual(Object.keys(apiEndpoints).toSorted())
})

describe.each(databases)('isolation on %s', (kind) => {
  let api: TestApi
  let database: Database
  let world: World
  let machines: MachinesOfWorld
  let address = 0
  beforeAll(async () => {
    const started = await startTestApi(kind, { trustProxy: ['127.0.0.1'] })
    // An address for each call keeps the limits of one address out of the way.
    const call: TestApi['call'] = (name, parts = {}) => {
      address += 1
      const forwarded = `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`
      return started.call(name, { ...parts, headers: { 'x-forwarded-for': forwarded, ...parts.headers } })
    }
    api = { ...started, call }
    database = await openDatabaseOf(api)
    world = await createWorld(api, database)
    machines = await createMachines(api, world)
    await api.call('setUpAccount', { body: ACCOUNT })
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  // What a caller may do at all does not depend on the database.
  if (oneDatabase.includes(kind)) {
    test.each(names)('%s answers each kind of caller as the table says', async (name) => {
      const statuses: number[] = []
      const partsOf = callParts(name)
      for (const caller of CALLERS) {
        const parts = await partsOf(statuses.at(-1))
        const { status } = await api.call(name, {
          ...parts,
          headers: { ...parts.headers, ...callerHeaders(world, caller) },
        })
        statuses.push(status)
      }
      expect(Object.fromEntries(CALLERS.map((caller, index) => [caller, statuses[index]]))).toEqual(
        Object.fromEntries(CALLERS.map((caller, index) => [caller, EXPECTED[name][index]])),
      )
    })

    test.each(ofLibrary)('%s answers a limited member within reach as a member', async (name) => {
      const inside = await freshCall(api, { ...world, folder: 'partner/' }, name)
      const headers = { ...inside.headers, ...callerHeaders(world, 'limited member') }
      const { status } = await api.call(name, { ...inside, headers })
      expect(status).toBe(WITHIN_REACH[name] ?? EXPECTED[name][CALLERS.indexOf('member')])
    })

    test.each(names)('%s answers each kind of machine as the table says', async (name) => {
      const statuses: number[] = []
      const partsOf = callParts(name)
      for (const machine of MACHINES) {
        const parts = await partsOf(statuses.at(-1))
        const headers = await machineHeaders(api, { world, machines, kind: machine }, parts)
        statuses.push((await api.call(name, { ...parts, headers: { ...parts.headers, ...headers } })).status)
      }
      const unsigned = EXPECTED[name][CALLERS.indexOf('unsigned')]
      expect(Object.fromEntries(MACHINES.map((machine, index) => [machine, statuses[index]]))).toEqual(
        Object.fromEntries(
          MACHINES.map((machine, index) => [machine, EXPECTED_OF_MACHINES[name]?.[index] ?? unsigned]),
        ),
      )
    })
  }

  // A refused call changes nothing, so the next caller gets the same ids. One that succeeded may have used them up.
  function callParts(name: ApiEndpointName) {
    let parts: CallParts | undefined
    return async (statusBefore: number | undefined): Promise<CallParts> => {
      if (parts && !USED_UP.has(name) && isRefusal(statusBefore)) return parts
      parts = await freshCall(api, world, name)
      // A wait would be answered after 30 s; its caller is not looked at, so that one is enough.
      if (name === 'waitForApproval') await approve(parts)
      return parts
    }
  }

  async function approve(parts: CallParts): Promise<void> {
    const body = { bundle_id: parts.params?.['bundle_id'], include_keys: [parts.params?.['key_name']] }
    const { status } = await api.call('encryptFromBundle', { ...parts, as: world.owner, body })
    expect(status).toBe(200)
  }

  test.each(withIds)('%s answers a foreign id byte for byte as an unknown one', async (name) => {
    const foreign = await freshCall(api, world, name)
    const unknown = withUnknownIds(foreign)
    const headers =
      apiEndpoints[name].access === 'program'
        ? await machineHeaders(api, { world, machines, kind: 'foreign machine' }, foreign)
        : callerHeaders(world, 'foreign owner')
    const first = await api.call(name, { ...foreign, headers })
    const second = await api.call(name, { ...unknown, headers })
    // A former person or machine has a list still. That of an unknown one is empty.
    expect([first.status, first.text]).toEqual([EMPTY.has(name) ? 200 : 404, second.text])
    if (EMPTY.has(name)) expect(first.json).toEqual([])
  })

  test.each(ofLibrary)('%s answers an id out of reach byte for byte as an unknown one', async (name) => {
    const outside = await freshCall(api, world, name)
    const headers = callerHeaders(world, 'limited member')
    const first = await api.call(name, { ...outside, headers })
    const second = await api.call(name, { ...withUnknownIds(outside), headers })
    expect([first.status, first.text]).toEqual([404, second.text])
  })
})

const EMPTY = new Set<ApiEndpointName>(['listHoldings', 'listTypedValues', 'listMachineHoldings'])

const isRefusal = (status: number | undefined) => status !== undefined && status >= 400

// Those of tenants; the id of a request stays, because a request belongs to none.
function withUnknownIds({ params = {}, body }: CallParts): CallParts {
  const unknown = {
    ...params,
    bundle_id: randomUUID(),
    key_id: randomUUID(),
    user_id: randomUUID(),
    tenant_id: randomUUID(),
    machine_id: randomUUID(),
    token_id: randomUUID(),
    proposal_id: randomUUID(),
  }
  const parts = { params: { ...unknown, invitation_id: randomUUID() } }
  if (typeof body !== 'object' || body === null) return parts
  return { ...parts, body: 'bundle_id' in body ? { ...body, bundle_id: randomUUID() } : body }
}
