import { randomUUID } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ApproveNames } from '@keyferry/contract'
import { auditKeyOf, createAuditSeed } from '@keyferry/crypto/audit-key'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { generateRootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import type { KyselyPlugin } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { decide } from '../src/domain/approvals/decision.ts'
import { NAMES } from '../src/domain/kinds/names-approval.ts'
import { bundleEntries, valueSizes } from '../src/domain/library/bundle-entry.ts'
import type { WantedValues } from '../src/domain/library/wanted-values.ts'
import { type ApprovalRequest, newRequestState } from '../src/domain/requests/stored-request.ts'
import type { Stores } from '../src/domain/stores.ts'
import { openRequestNotices } from '../src/request-store/request-notices.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import type { Database, Queries } from '../src/storage/base/queries.ts'
import { recording } from '../src/storage/base/recording.ts'
import { type LibraryParts, togetherWith } from '../src/storage/joined-stores.ts'
import { Requests } from '../src/storage/requests/requests.ts'
import { createStores } from '../src/storage/stores.ts'
import { touchPartsOf } from '../src/touch-parts.ts'
import { oneDatabase } from './api.ts'
import { sampleRequest } from './sample-request.ts'
import { testSettings } from './test-settings.ts'

const NOW = '2026-01-31T12:00:00.000Z'
const ring = new RootKeyRing([generateRootKey()])
const [userId, tenantId, bundleId] = [randomUUID(), randomUUID(), randomUUID()]

describe.each(oneDatabase)('the values that a read wants, on %s', (kind) => {
  let database: Database
  let queries: Queries
  let stores: Stores
  let library: LibraryParts
  const fetched: unknown[] = []
  beforeAll(async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'keyferry-values-')), 'keyferry.db')
    database = await openDatabase(kind === 'postgres' ? await freshPostgres() : file)
    await migrateDatabase(database, NOW)
    const auditKey = { ...auditKeyOf(createAuditSeed()), name: 'keyferry.example.com/audit' }
    const bounds = {
      assurance: 'compat' as const,
      bundleEntries: 10_000,
      tenantBytes: 1_073_741_824,
      versionsKept: 2,
      workspacesPerPerson: 9,
    }
    queries = recording(watched(database, fetched), auditKey)
    const created = createStores(queries, { ring, auditKey, bounds })
    stores = created.stores
    library = created.library
    await fill(stores)
  })
  afterAll(() => database.close())
  beforeEach(() => {
    fetched.length = 0
  })

  const read = async (values: WantedValues) => {
    const entries = await bundleEntries(stores, { tenantId, bundleId }, values)
    return entries.map(({ name, value }) => [name, value?.reveal() ?? null])
  }

  test('the approval page reads names only: no blob leaves the database', async () => {
    expect(await read('none')).toEqual([
      ['SECRET', null],
      ['OPEN', null],
      ['OLD', null],
      ['OLD_OPEN', null],
    ])
    expect(fetched).toEqual([null, null, null, null, null])
  })

  test('the list of a request for names reads no blob', async () => {
    const requests = new Requests(queries, { notices: await openRequestNotices({ redis: null }) })
    const together = togetherWith(queries, { requests, library })
    const approve = async (asked: Partial<ApprovalRequest>, choice: z.output<typeof ApproveNames>) => {
      const request = sampleRequest({ kind: 'names', ...asked })
      await requests.insert(newRequestState(request), null, Date.now())
      const clock = { now: () => new Date(), newId: randomUUID, newToken: randomUUID }
      const settings = { assurance: 'compat', maxPayloadBytes: 10_000, waitingSeconds: 0 } as const
      const touching = { stores, ring, settings: testSettings({}), clock, takeTouch: async () => {} }
      const touchParts = touchPartsOf(touching)
      const parts = { requests, together, clock, stores, touchParts, ...settings }
      const caller = { userId, tenantId, role: 'owner', reach: null, origin: { requester_ip: '' } } as const
      return await decide(parts, caller, { kind: NAMES, act: 'approveNames', requestId: request.id, choice })
    }
    expect(await approve({ suggestedBundle: 'B' }, { bundle_id: bundleId })).toEqual({ ok: true })
    expect(new Set(fetched)).toEqual(new Set([null]))
  })

  test('an ordinary answer reads no blob of a secret', async () => {
    expect(Object.fromEntries(await read('public'))).toMatchObject({ SECRET: null, OPEN: 'open' })
    expect(fetched.filter((blob) => blob === null)).toHaveLength(3)
  })

  test('an approval reads the blobs of the chosen names, a hidden item of such a name left out', async () => {
    expect(await read(new Set(['SECRET', 'OLD_OPEN']))).toEqual([
      ['SECRET', 'a secret'],
      ['OPEN', null],
      ['OLD', null],
      ['OLD_OPEN', 'old, open'],
    ])
    expect(fetched.filter((blob) => blob !== null)).toHaveLength(2)
  })

  test('the size of each value is known without any blob', async () => {
    const sizes = await valueSizes(stores, { tenantId, bundleId })
    const bytes = [...sizes].map(([name, size]) => [name, size.bytes])
    expect(Object.fromEntries(bytes)).toEqual({ SECRET: 8, OPEN: 4, OLD: 3, OLD_OPEN: 9 })
    expect(fetched.filter((blob) => blob !== null)).toEqual([])
  })
})

/** The same database, noting what each row that comes back has in the column `value`. */
function watched(database: Database, fetched: unknown[]): Database {
  const watcher: KyselyPlugin = {
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      for (const row of result.rows) if ('value' in row) fetched.push(row['value'])
      return result
    },
  }
  return { ...database, query: database.query.withPlugin(watcher) }
}

const STAMP = { tenantId, by: userId, at: NOW, origin: null }

async function fill({ users, bundles, keys, attachments, legacyItems }: Stores): Promise<void> {
  const email = { email: 'x@example.com', email_verified: true, email_as_of: null }
  const user = { id: userId, idp_user_id: 'user_x', ...email, auth_provider: 'local' }
  const workspace = { id: tenantId, name: 'w', membershipId: randomUUID() }
  await users.insertWithWorkspace({ ...user, username: 'x', password_hash: null }, workspace, {
    at: NOW,
    origin: null,
  })
  const times = { created_at: NOW, updated_at: NOW, created_by: userId, updated_by: userId }
  const texts = { name: 'B', description: '', tags: '', production: 'by_name' } as const
  await bundles.insert({ id: bundleId, tenant_id: tenantId, ...texts, ...times }, STAMP)
  for (const [name, text, is_secret] of [
    ['SECRET', 'a secret', true],
    ['OPEN', 'open', false],
  ] as const) {
    const key = { id: randomUUID(), name, value: Plaintext.of(text), is_secret, description: '', ...times }
    await keys.insert(tenantId, key, STAMP)
    await attachments.insert({ bundleId, keyId: key.id, order: undefined, required: false }, STAMP)
  }
  const items = [
    item('SECRET', 'hidden', true),
    item('OLD', 'old', true),
    item('OLD_OPEN', 'old, open', false),
  ]
  await legacyItems.upsert({ tenantId, bundleId }, items, STAMP)
}

function item(name: string, text: string, is_secret: boolean) {
  return { id: randomUUID(), name, value: Plaintext.of(text), is_secret }
}
