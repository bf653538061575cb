import { join } from 'node:path'
import { Plaintext } from '@keyferry/crypto/plaintext'
import { parseRootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import { randomId } from '@keyferry/crypto/token'
import { openDatabase } from '../api/src/storage/base/database.ts'
import { migrateDatabase } from '../api/src/storage/base/migrate.ts'
import { type Database, type Query, type Recorded, recordedBy } from '../api/src/storage/base/queries.ts'
import { openAuditKey } from '../api/src/storage/keys-at-rest/audit-keys.ts'
import { TenantKeys } from '../api/src/storage/keys-at-rest/tenant-keys.ts'
import { ValueVault } from '../api/src/storage/keys-at-rest/value-vault.ts'
import { insertWithWorkspace } from '../api/src/storage/people/users.ts'

/** How much is in a database: so many tenants, each with as many keys and bundles; each bundle contains some keys. */
export type Size = { readonly tenants: number; readonly keysEach: number; readonly bundlesEach: number }

/** Some of what is there, spread over all of it: a key in a bundle, and the owner of both. */
export type Sample = { userId: string; tenantId: string; keyId: string; bundleId: string; bundleName: string }

const ROWS_AT_ONCE = 500
const SAMPLES = 500
const KEYS_IN_A_BUNDLE = 5
const VALUE = Plaintext.of('x'.repeat(40))

/** Fill a database straight, past the API: a million calls would take longer than what is measured. Values are
 * encrypted as the API does it. */
export async function growLibrary(
  place: { databaseUrl: string | null; dataDir: string; rootKey: string },
  size: Size,
): Promise<Sample[]> {
  const database = await openDatabase(place.databaseUrl ?? join(place.dataDir, 'keyferry.db'))
  try {
    await migrateDatabase(database, NOW)
    const ring = new RootKeyRing([parseRootKey(place.rootKey)])
    await openAuditKey(database, { ring, name: 'bench/audit', now: NOW })
    return await fill(database, size, ring)
  } finally {
    await database.close()
  }
}

const NOW = new Date().toISOString()

async function fill(database: Database, size: Size, ring: RootKeyRing): Promise<Sample[]> {
  const samples: Sample[] = []
  const each = Math.max(1, Math.floor((size.tenants * size.keysEach) / SAMPLES))
  let keysMade = 0
  for (let tenant = 0; tenant < size.tenants; tenant++) {
    await database.write(async (transaction) => {
      const recorded = recordedBy(database, transaction, () => {})
      const tenantKeys = new TenantKeys({ ...database, query: recorded }, ring)
      const made = await makeTenant(recorded, tenantKeys, size)
      for (const index of made.keyIds.keys())
        if (++keysMade % each === 0) samples.push({ ...made.ids, ...sampleOf(made, index) })
    })
  }
  return samples
}

type Made = { keyIds: readonly string[]; bundleIds: readonly string[] }

function sampleOf({ keyIds, bundleIds }: Made, index: number) {
  const bundle = index % bundleIds.length
  const [keyId = '', bundleId = ''] = [keyIds[keyIn(bundle, index, keyIds.length)], bundleIds[bundle]]
  return { keyId, bundleId, bundleName: nameOf('bundle', bundle) }
}

function keyIn(bundle: number, position: number, keys: number): number {
  return (bundle * KEYS_IN_A_BUNDLE + (position % KEYS_IN_A_BUNDLE)) % keys
}

async function makeTenant(transaction: Recorded, tenantKeys: TenantKeys, { keysEach, bundlesEach }: Size) {
  const ids = { userId: randomId(), tenantId: randomId() }
  await makeOwner(transaction, tenantKeys, ids)
  const lockedVault = await new ValueVault(tenantKeys, 'keys').toWrite(ids.tenantId)
  const { encrypt } = await lockedVault(transaction)
  const keyIds = Array.from({ length: keysEach }, () => randomId())
  const bundleIds = Array.from({ length: bundlesEach }, () => randomId())
  const made = { created_by: ids.userId, updated_by: ids.userId, created_at: NOW, updated_at: NOW }
  const of = { tenant_id: ids.tenantId, description: '', ...made }
  await inBatches(keyIds, (batch, from) => {
    const set = {
      value_set_at: NOW,
      value_set_by: ids.userId,
      value_how: 'set',
      value_was_secret: 1,
    } as const
    const marks = { ...set, is_secret: 1, value_version: 1 } as const
    const rows = batch.map((id, at) =>
      encrypt(VALUE, { ...of, ...marks, id, name: nameOf('KEY', from + at) }),
    )
    return transaction.insertInto('keys').values(rows)
  })
  await inBatches(bundleIds, (batch, from) => {
    const rowOf = (id: string, at: number) => ({ id, name: nameOf('bundle', from + at) })
    const rows = batch.map((id, at) => ({
      ...of,
      ...rowOf(id, at),
      tags: '',
      production: 'by_name' as const,
    }))
    return transaction.insertInto('bundles').values(rows)
  })
  await attach(transaction, ids.tenantId, { keyIds, bundleIds })
  return { ids, keyIds, bundleIds }
}

async function makeOwner(
  transaction: Recorded,
  tenantKeys: TenantKeys,
  { userId, tenantId }: { userId: string; tenantId: string },
): Promise<void> {
  const username = userId.replaceAll('-', '').slice(0, 20)
  const named = { idp_user_id: `user_${userId}`, username, email: `${userId}@example.com` }
  const email = { email_verified: true, email_as_of: null }
  const user = { ...named, ...email, id: userId, auth_provider: 'bench', password_hash: null }
  const workspace = { id: tenantId, name: 'grown', membershipId: randomId() }
  await insertWithWorkspace(transaction, user, { tenantKeys, workspace, moment: { at: NOW, origin: null } })
}

function attach(transaction: Query, tenant_id: string, { keyIds, bundleIds }: Made): Promise<void> {
  const links = bundleIds.flatMap((bundle_id, bundle) =>
    Array.from({ length: KEYS_IN_A_BUNDLE }, (_, position) => {
      const key = keyIn(bundle, position, keyIds.length)
      const place = { tenant_id, bundle_id, key_id: keyIds[key] ?? '', position }
      return { ...place, delivered_name: nameOf('KEY', key), required: 0 as const }
    }),
  )
  return inBatches(links, (batch) => transaction.insertInto('attachments').values([...batch]))
}

async function inBatches<T>(
  rows: readonly T[],
  insert: (batch: readonly T[], from: number) => { execute(): Promise<unknown> },
): Promise<void> {
  for (let from = 0; from < rows.length; from += ROWS_AT_ONCE)
    await insert(rows.slice(from, from + ROWS_AT_ONCE), from).execute()
}

function nameOf(kind: string, index: number): string {
  return `${kind}_${String(index).padStart(7, '0')}`
}
