import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditKeyOf, createAuditSeed } from '@keyferry/crypto/audit-key'
import { generateRootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import { recording } from '../src/storage/base/recording.ts'
import { createStores } from '../src/storage/stores.ts'
import { inTransaction } from './in-transaction.ts'

// What only reads, and what is whole by itself: an event, an import, and the use of a touch.
const ANYWHERE = [
  'approvalKeys.use',
  'events.record',
  'imports.carryOut',
  'policies.find',
  'policies.findAll',
  'policies.ofSharedValues',
  'touchUses.firstUse',
]

test('what has a consequence is changed only in the transaction that carries it out', async () => {
  const database = await openDatabase(join(mkdtempSync(join(tmpdir(), 'keyferry-')), 'keyferry.db'))
  onTestFinished(() => database.close())
  await migrateDatabase(database, '2026-01-31T12:00:00.000Z')
  const auditKey = { ...auditKeyOf(createAuditSeed()), name: 'keyferry.example.com/audit' }
  const bounds = {
    assurance: 'compat',
    bundleEntries: 9,
    tenantBytes: 9,
    versionsKept: 9,
    workspacesPerPerson: 9,
  } as const
  const queries = recording(database, auditKey)
  const { stores } = createStores(queries, { ring: new RootKeyRing([generateRootKey()]), auditKey, bounds })
  const inside = await inTransaction(queries)(async (own) => methodsOf(own))
  expect(inside).toContain('members.change')
  expect(inside.filter((method) => methodsOf(stores).includes(method))).toEqual(ANYWHERE)
})

function methodsOf(stores: object): string[] {
  const all = Object.entries(stores).flatMap(([name, store]) =>
    Object.keys(store).map((method) => `${name}.${method}`),
  )
  return all.toSorted()
}
