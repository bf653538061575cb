import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Database } from '../src/storage/base/queries.ts'
import {
  type Identity,
  oneDatabase,
  openDatabaseOf,
  signedHeaders,
  startTestApi,
  type TestApi,
} from './api.ts'

const KEYS = 5_000
const NOW = '2026-01-31T12:00:00.000Z'
const OWNER = randomUUID()

describe.each(oneDatabase)('a list of 5,000 keys on %s', (kind) => {
  let api: TestApi
  let database: Database
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi(kind)
    owner = await api.newOwner()
    database = await openDatabaseOf(api)
    await fill(database, owner.tenantId)
  })
  afterAll(async () => {
    await database.close()
    await api.close()
  })

  test('comes whole, and other calls are answered at the same time', async () => {
    let answered = 0
    const list = { isThere: false }
    const listing = fetch(`${api.address}/api/v1/keys`, { headers: signedHeaders(owner) }).then(
      async (response) => {
        const bytes = await response.arrayBuffer()
        list.isThere = true
        return { total: response.headers.get('x-total-count'), bytes }
      },
    )
    while (!list.isThere) {
      await api.call('getHealth')
      answered += 1
    }
    const { total, bytes } = await listing
    expect(total).toBe(String(KEYS))
    const names: { name: string }[] = JSON.parse(new TextDecoder().decode(bytes))
    expect(names.map(({ name }) => name)).toEqual(Array.from({ length: KEYS }, (_, index) => nameOf(index)))
    // A list made in one go would let one call in at most.
    expect(answered).toBeGreaterThan(1)
  })

  test('the rest of it is not read when the caller disconnects', async () => {
    const controller = new AbortController()
    const response = await fetch(`${api.address}/api/v1/keys`, {
      headers: signedHeaders(owner),
      signal: controller.signal,
    })
    controller.abort()
    await expect(response.text()).rejects.toThrow()
    expect((await api.call('listKeys', { as: owner, query: { limit: '1' } })).json).toHaveLength(1)
    expect(api.log()).not.toContain('"status":500')
  })
})

function nameOf(index: number): string {
  return `K${String(index).padStart(6, '0')}`
}

async function fill({ query }: Database, tenant_id: string): Promise<void> {
  const shared = {
    tenant_id,
    value: new Uint8Array(60),
    value_version: 1,
    is_secret: 1,
    description: '',
    value_set_at: NOW,
    value_set_by: OWNER,
    value_how: 'set',
    value_was_secret: 1,
  } as const
  for (let from = 0; from < KEYS; from += 200) {
    const rows = Array.from({ length: 200 }, (_, index) => ({
      ...shared,
      id: randomUUID(),
      name: nameOf(from + index),
      created_at: NOW,
      created_by: OWNER,
      updated_at: NOW,
      updated_by: OWNER,
    }))
    await query.insertInto('keys').values(rows).execute()
  }
}
