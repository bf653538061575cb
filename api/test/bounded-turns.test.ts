import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApiEndpointName } from '@keyferry/contract'
import { portableSeal } from '@keyferry/crypto/portable-seal'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { mapInTurns } from '../src/domain/base/turns.ts'
import { inChunks } from '../src/storage/base/chunks.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { type CallParts, type Identity, startTestApi, type TestApi } from './api.ts'
import { countedQueries } from './counted-queries.ts'

const LONG = 2_000
const numbers = Array.from({ length: LONG }, (_, index) => index)

/** How often other calls could run before `act` was done. */
async function turnsDuring(act: () => Promise<unknown>): Promise<number> {
  let turns = 0
  let isOver = false
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await act()
  isOver = true
  return turns
}

const find = async (some: readonly number[]) => some

describe('other calls run', () => {
  test('between the parts of a long list that is mapped', async () => {
    expect(await turnsDuring(async () => mapInTurns(numbers.slice(0, 500), String))).toBe(0)
    expect(await turnsDuring(async () => mapInTurns(numbers, String))).toBeGreaterThanOrEqual(3)
    expect(await mapInTurns(numbers, String)).toEqual(numbers.map(String))
  })

  test('between the queries for a long list', async () => {
    expect(await turnsDuring(() => inChunks(numbers.slice(0, 1_000), find))).toBe(0)
    expect(await turnsDuring(() => inChunks(numbers, find))).toBeGreaterThanOrEqual(1)
    expect(await inChunks(numbers, find)).toEqual(numbers)
  })

  test('after a long read of SQLite', async () => {
    const database = await openDatabase(join(mkdtempSync(join(tmpdir(), 'keyferry-turns-')), 'keyferry.db'))
    const read = (rows: number) => {
      const counted = sql`with recursive counted(n) as (select 1 union all select n + 1 from counted where n < ${sql.lit(rows)}) select n from counted`
      return database.query.selectFrom(sql<{ n: number }>`(${counted})`.as('list')).select('list.n')
    }
    const run = (rows: number) => read(rows).execute()
    expect(await run(LONG)).toHaveLength(LONG)
    expect(await turnsDuring(() => run(10))).toBe(0)
    expect(await turnsDuring(() => run(LONG))).toBeGreaterThanOrEqual(1)
    await database.close()
  })

  test('between slow reads of few rows that began together', async () => {
    const database = await openDatabase(join(mkdtempSync(join(tmpdir(), 'keyferry-turns-')), 'keyferry.db'))
    const counted = sql`with recursive counted(n) as (select 1 union all select n + 1 from counted where n < 3000000) select count(*) as n from counted`
    const slow = () => database.query.selectFrom(sql<{ n: number }>`(${counted})`.as('list')).select('list.n')
    const together = () => Promise.all([1, 2, 3, 4].map(() => slow().execute()))
    expect(await turnsDuring(together)).toBeGreaterThanOrEqual(3)
    await database.close()
  })

  test('between the parts of a long change', async () => {
    let most = 0
    const aroundDatabase = (database: Database): Database => ({
      ...database,
      write: (change) =>
        database.write(async (transaction) => {
          const changed = change(transaction)
          most = Math.max(most, await turnsDuring(() => changed))
          return await changed
        }),
    })
    const api = await startTestApi('sqlite', { aroundDatabase })
    const as = await api.newOwner()
    const turnsOf = async (name: ApiEndpointName, parts: CallParts) => {
      most = 0
      expect((await api.call(name, { as, ...parts })).status).toBeLessThan(300)
      return most
    }
    const names = numbers.slice(0, 1_000).map((number) => `K${number}`)
    const imported = (value: string) => ({
      body: { bundle: 'dev/app', entries: names.map((name) => ({ name, value })) },
    })
    // A thousand rows are written in five parts, and so are their events.
    expect(await turnsOf('importVariables', imported('first'))).toBeGreaterThanOrEqual(10)
    expect(await turnsOf('importVariables', imported('other'))).toBeGreaterThanOrEqual(10)
    const [bundle] = (await api.call('listBundles', { as })).json
    const duplicate = { params: { bundle_id: bundle?.id ?? '' }, body: { name: 'qa/app', own: names } }
    expect(await turnsOf('duplicateBundle', duplicate)).toBeGreaterThanOrEqual(15)
    const { kid, public_key } = (await api.call('getDepositKey')).json
    const keys = names.map((name) => ({ name: `MOVED_${name}`, value: 'v' }))
    const bytes = Buffer.from(JSON.stringify({ v: 1, keys, bundles: [] }))
    const box_base64 = Buffer.from(portableSeal(bytes, Buffer.from(public_key, 'base64'))).toString('base64')
    const library = { keyferry_library: 1, kid, box_base64 }
    expect(await turnsOf('moveLibrary', { body: { library } })).toBeGreaterThanOrEqual(10)
    await api.close()
  })
})

describe('a bundle of many entries', () => {
  const counted = countedQueries()
  let api: TestApi
  let owner: Identity
  beforeAll(async () => {
    api = await startTestApi('sqlite', { aroundDatabase: counted.aroundDatabase })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  const named = (name: string) => api.call('createBundle', { as: owner, body: { name } })

  test('is imported again with a bounded number of queries in one piece', async () => {
    const { json } = await named('legacy')
    const data = Object.fromEntries(numbers.map((number) => [`N${number}`, 'v']))
    const again = () =>
      api.call('importItems', { as: owner, params: { bundle_id: json.id }, body: { format: 'json', data } })
    expect((await again()).json).toMatchObject({ created: LONG })
    const most = await counted.mostInATurn(async () => {
      expect((await again()).json).toMatchObject({ updated: LONG })
    })
    expect(most).toBeGreaterThan(1)
    expect(most).toBeLessThan(300)
  })

  test('is compared in an answer that is written in parts, by name', async () => {
    const entries = numbers.map((number) => ({ name: `C${number}`, value: 'v' }))
    for (const bundle of ['one', 'other']) {
      await api.call('importVariables', { as: owner, body: { bundle, entries } })
    }
    const bundles = (await api.call('listBundles', { as: owner })).json
    const ids = bundles.filter(({ name }) => name !== 'legacy').map(({ id }) => id)
    const query = ids.map((id): [string, string] => ['bundle_id', id])
    const { json, headers } = await api.call('compareBundles', { as: owner, query })
    expect(headers.get('content-length')).toBeNull()
    expect(json.rows.map(({ name }) => name)).toEqual(entries.map(({ name }) => name).toSorted())
  })
})
