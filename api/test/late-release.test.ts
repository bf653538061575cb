import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Event } from '../src/domain/base/event.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { type Database, type Queries, recordedBy } from '../src/storage/base/queries.ts'
import { createDeliveryStore } from '../src/storage/deliveries/deliveries.ts'
import { createHeldDeliveryStore } from '../src/storage/deliveries/held-deliveries.ts'
import { databases, startTestApi, type TestApi } from './api.ts'
import { approveWith, newBundle } from './approval-client.ts'
import { ReturningClient } from './returning-client.ts'

describe.each(databases)('a release that is recorded after the collection, on %s', (kind) => {
  let api: TestApi
  let database: Database
  beforeAll(async () => {
    api = await startTestApi(kind)
    database = await openDatabase(api.settings.databaseUrl ?? `${api.settings.dataDir}/keyferry.db`)
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  test('has its event, and the delivery stays collected', async () => {
    const owner = await api.newOwner()
    const bundle = await newBundle(api, owner, { URL: 'secret' })
    const requestId = await new ReturningClient(api).request()
    const choice = { bundle_id: bundle.id, include_keys: ['URL'], release: 'loopback' }
    await approveWith(api, owner, { requestId, ...choice })
    const deliveries = async () => (await api.call('listDeliveries', { as: owner })).json
    const held = await deliveries()
    expect(held).toMatchObject([{ state: 'held' }])
    const deliveryId = held[0]?.id ?? ''

    const actions: string[] = []
    const record = ({ action }: Event) => void actions.push(action)
    const write: Queries['write'] = (change) =>
      database.write((transaction) => change(recordedBy(database, transaction, record)))
    const queries = { ...database, write }
    const at = new Date().toISOString()
    await createDeliveryStore(queries).collect(owner.tenantId, { deliveryId, at, origin: null })
    await createHeldDeliveryStore(queries).release(owner.tenantId, {
      deliveryId,
      at,
      origin: { ip: '', user_agent: '' },
      by: 'loopback',
    })
    expect(actions).toEqual(['delivery.collected', 'delivery.released'])
    expect(await deliveries()).toMatchObject([{ state: 'collected' }])
  })
})
