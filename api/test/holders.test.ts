import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditKeyOf, createAuditSeed } from '@keyferry/crypto/audit-key'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { generateRootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import * as fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import type { Stores } from '../src/domain/stores.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { FORGOTTEN_AT_ONCE } from '../src/storage/base/forgetting.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { recording } from '../src/storage/base/recording.ts'
import { TABLES } from '../src/storage/base/tables.ts'
import { forgetDeliveries } from '../src/storage/deliveries/delivery-retention.ts'
import { createStores } from '../src/storage/stores.ts'
import { oneDatabase } from './api.ts'
import { type InTransaction, inTransaction } from './in-transaction.ts'

const PAGE = { limit: 1_000, offset: 0 }

/** What the model knows of one holder's deliveries, in the order of their approvals. */
type Known = { id: string; holder: string; version: number; state: 'approved' | 'void' | 'collected' }

describe.each(oneDatabase)('holders on %s', (kind) => {
  let database: Database
  let stores: Stores
  let together: InTransaction
  let forget: () => Promise<void>
  let writes = 0
  let time = Date.parse('2026-01-31T12:00:00Z')
  const [userId, tenantId, bundleId] = [randomUUID(), randomUUID(), randomUUID()]
  const now = () => new Date(time + 1)
  const stamp = () => {
    time += 1
    return { tenantId, by: userId, at: new Date(time).toISOString(), origin: null }
  }
  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'keyferry-holders-')), 'keyferry.db')
    database = await openDatabase(kind === 'postgres' ? await freshPostgres() : file)
    await migrateDatabase(database, stamp().at)
    const auditKey = { ...auditKeyOf(createAuditSeed()), name: 'keyferry.example.com/audit' }
    const bounds = {
      assurance: 'compat' as const,
      bundleEntries: 10_000,
      tenantBytes: 1_073_741_824,
      versionsKept: 5,
      workspacesPerPerson: 9,
    }
    const ring = new RootKeyRing([generateRootKey()])
    const write: Database['write'] = (change) => {
      writes += 1
      return database.write(change)
    }
    const queries = recording({ ...database, write }, auditKey)
    together = inTransaction(queries)
    const log = { info: () => {} }
    const ending = new AbortController().signal
    forget = () => forgetDeliveries(queries, { before: now().toISOString(), now, ending, log })
    stores = createStores(queries, { ring, auditKey, bounds }).stores
    const email = { email: 'x@example.com', email_verified: true, email_as_of: null }
    const user = { id: userId, idp_user_id: 'user_x', ...email, auth_provider: 'local' }
    const workspace = { id: tenantId, name: 'w', membershipId: randomUUID() }
    await stores.users.insertWithWorkspace({ ...user, username: 'x', password_hash: null }, workspace, {
      at: stamp().at,
      origin: null,
    })
  })
  afterAll(() => database.close())

  const newKey = async () => {
    const id = randomUUID()
    const name = `K${id.replaceAll('-', '')}`
    const by = stamp()
    const made = { created_at: by.at, updated_at: by.at, created_by: userId, updated_by: userId }
    const key = { id, name, value: Plaintext.of('v'), is_secret: true, description: '', ...made }
    await stores.keys.insert(tenantId, key, by)
    return { id, name }
  }
  const begin = async (key: { id: string; name: string }, holder: string, version: number) => {
    const id = randomUUID()
    const delivery = {
      id,
      requestId: 'r',
      bundle: { id: bundleId, name: 'dev/app' },
      holder,
      label: { hostname: 'laptop', user: holder, program: 'npm' },
      via: 'run' as const,
      keys: [{ ...key, version }],
      unversioned: [],
      typed: [],
      held: null,
      firstApproverId: null,
      voucherId: null,
      grantId: null,
      stamp: stamp(),
    }
    await together((own) => own.deliveries.begin(tenantId, delivery))
    return id
  }
  const end = (how: 'void' | 'collect', deliveryId: string) =>
    together((own) => own.deliveries[how](tenantId, { deliveryId, at: stamp().at, origin: null }))
  const holders = async (keyId: string) => {
    const listed = await stores.holders.ofKey(tenantId, keyId, PAGE)
    return (listed?.rows ?? []).map(({ holder, label, version, perhaps_version, times }) => ({
      holder: label?.user ?? `${holder} by a deleted delivery`,
      version,
      perhaps_version,
      times,
    }))
  }

  const STEP = fc.record({
    what: fc.constantFrom('approve', 'approve', 'collect', 'collect', 'void', 'rotate', 'forget'),
    holder: fc.constantFrom('a', 'b', 'c'),
    which: fc.nat(20),
  })

  test('many old deliveries are deleted in parts, so that other writers do not wait', async () => {
    const key = await newKey()
    for (let count = 0; count <= FORGOTTEN_AT_ONCE; count += 1) await end('void', await begin(key, 'one', 1))
    writes = 0
    await forget()
    expect(writes).toBe(2)
  })

  test('after any order of approvals, hand-overs, voids, rotations and deletions of old deliveries the list equals a model', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(STEP, { minLength: 20, maxLength: 60 }), async (steps) => {
        const key = await newKey()
        const model: Known[] = []
        const collected: Known[] = []
        let version = 1
        for (const { what, holder, which } of steps) {
          if (what === 'rotate') version += 1
          if (what === 'forget') await forget()
          if (what === 'approve') {
            model.push({ id: await begin(key, holder, version), holder, version, state: 'approved' })
          }
          const open = model.filter(({ state }) => state === 'approved')
          const chosen = open[which % Math.max(open.length, 1)]
          if (!chosen || (what !== 'collect' && what !== 'void')) continue
          await end(what, chosen.id)
          chosen.state = what === 'void' ? 'void' : 'collected'
          if (what === 'collect') collected.push(chosen)
        }
        expect(new Set(await holders(key.id))).toEqual(new Set(expected(model, collected)))
      }),
      { numRuns: kind === 'sqlite' ? 150 : 40 },
    )
  })

  test('the oldest version comes first, and a dismissed holder stays away until it is given the key again', async () => {
    const key = await newKey()
    for (const [holder, version] of [
      ['new', 2],
      ['old', 1],
    ] as const) {
      await end('collect', await begin(key, holder, version))
    }
    expect((await holders(key.id)).map(({ holder }) => holder)).toEqual(['old', 'new'])
    const entry = { keyId: key.id, holder: 'old', stamp: stamp() }
    expect(await stores.holders.dismiss(tenantId, entry)).toBe(true)
    expect(await stores.holders.dismiss(tenantId, entry)).toBe(false)
    expect((await holders(key.id)).map(({ holder }) => holder)).toEqual(['new'])
    await begin(key, 'old', 2)
    expect(await holders(key.id)).toHaveLength(2)
  })

  test('a key is stale while someone was given an older version last, and says since when', async () => {
    const rotated = async (key: { id: string }) => {
      const by = stamp()
      const value = Plaintext.of(randomUUID())
      await stores.keys.update(tenantId, key.id, { value, stamp: by })
      return by.at
    }
    const stale = async (before?: string) =>
      (await stores.holders.staleKeys(tenantId, before, PAGE)).filter(({ id }) => id === key.id)
    const key = await newKey()
    await end('collect', await begin(key, 'old', 1))
    const open = await begin(key, 'perhaps', 1)
    expect(await stale()).toEqual([])
    const at = await rotated(key)
    expect(await stale()).toEqual([{ ...key, version: 2, value_set_at: at, holders: 2 }])
    expect(await stale(at)).toEqual([])
    expect(await stale(stamp().at)).toHaveLength(1)
    await end('void', open)
    await begin(key, 'old', 2)
    expect(await stale()).toMatchObject([{ holders: 1 }])
    await end('collect', await begin(key, 'old', 2))
    expect(await stale()).toEqual([])
  })

  test('a person holds values, and some of them only in an older version', async () => {
    const counts = async () => (await stores.holders.counts(tenantId)).get(userId) ?? { total: 0, older: 0 }
    const { total, older } = await counts()
    const key = await newKey()
    await end('collect', await begin(key, 'one', 1))
    await end('collect', await begin(key, 'two', 1))
    expect(await counts()).toEqual({ total: total + 1, older })
    await stores.keys.update(tenantId, key.id, { value: Plaintext.of(randomUUID()), stamp: stamp() })
    expect(await counts()).toEqual({ total: total + 1, older: older + 1 })
    await end('collect', await begin(key, 'two', 2))
    expect(await counts()).toEqual({ total: total + 1, older })
  })

  test('a version that is delivered again changes no indexed column', async () => {
    const key = await newKey()
    await end('collect', await begin(key, 'again', 1))
    const holdings = () => database.query.selectFrom('holdings').selectAll().where('key_id', '=', key.id)
    const seen = [await holdings().executeTakeFirstOrThrow()]
    const id = await begin(key, 'again', 1)
    const delivery = () => database.query.selectFrom('deliveries').selectAll().where('id', '=', id)
    const approved = await delivery().executeTakeFirstOrThrow()
    seen.push(await holdings().executeTakeFirstOrThrow())
    await end('collect', id)
    seen.push(await holdings().executeTakeFirstOrThrow())
    const changed = {
      holdings: changedColumns(seen),
      deliveries: changedColumns([approved, await delivery().executeTakeFirstOrThrow()]),
    }
    expect(changed.holdings).toContain('perhaps_version')
    expect(changed.deliveries).toEqual(['state', 'collected_at'])
    for (const table of ['holdings', 'deliveries'] as const)
      for (const index of Object.values(TABLES[table].indexes))
        for (const column of changed[table]) expect(index.split(/\W+/)).not.toContain(column)
  })

  test('racing approvals of one holder end in a list without a void one', async () => {
    const key = await newKey()
    const ids = await Promise.all(Array.from({ length: 10 }, () => begin(key, 'racer', 1)))
    const [winner = '', ...losers] = ids
    await Promise.all([end('collect', winner), ...losers.map((id) => end('void', id))])
    expect(await holders(key.id)).toEqual([{ holder: 'racer', version: 1, perhaps_version: null, times: 1 }])
  })

  test('when a delivery is void, only the newest of the open ones tell what its terminal may have', async () => {
    for (const [others, perhaps] of [
      [18, [{ perhaps_version: 1 }]],
      [19, []],
    ] as const) {
      const [key, other, terminal] = [await newKey(), await newKey(), `with ${others} others`]
      await begin(key, terminal, 1)
      for (let count = 0; count < others; count += 1) await begin(other, terminal, 1)
      await end('void', await begin(key, terminal, 2))
      expect(await holders(key.id)).toMatchObject(perhaps)
    }
  })

  test('the event of a collection names the terminal as it called itself', async () => {
    await end('collect', await begin(await newKey(), 'named', 1))
    const { entries } = await stores.audit.list(tenantId, { action: 'delivery.collected' }, PAGE)
    expect(entries[0]?.origin).toEqual({ hostname: 'laptop', user: 'named', program: 'npm' })
  })

  test('a key that is deleted takes its holders with it, and its deliveries stay', async () => {
    const key = await newKey()
    const id = await begin(key, 'a', 1)
    await stores.keys.delete(tenantId, key.id, stamp())
    await end('collect', id)
    expect(await stores.holders.ofKey(tenantId, key.id, PAGE)).toBeNull()
    const { rows } = await stores.deliveries.list(tenantId, {}, PAGE)
    expect(rows.find((row) => row.id === id)).toMatchObject({
      state: 'collected',
      keys: [{ name: key.name }],
    })
  })
})

function changedColumns(rows: readonly Readonly<Record<string, unknown>>[]): string[] {
  const [first = {}] = rows
  return Object.keys(first).filter((column) => new Set(rows.map((row) => row[column])).size > 1)
}

function expected(model: readonly Known[], collected: readonly Known[]) {
  return ['a', 'b', 'c'].flatMap((holder) => {
    const own = model.filter((delivery) => delivery.holder === holder)
    const given = collected.filter((delivery) => delivery.holder === holder)
    const last = given.at(-1)
    // A confirmed delivery answers for every one that was approved before it.
    const after = own.slice(own.findLastIndex(({ state }) => state === 'collected') + 1)
    const perhaps = after.findLast(({ state }) => state === 'approved')
    if (!last && !perhaps) return []
    const perhaps_version = perhaps?.version ?? null
    return [{ holder, version: last?.version ?? null, perhaps_version, times: given.length }]
  })
}
