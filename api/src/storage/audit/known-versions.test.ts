import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openDatabase } from '../base/database.ts'
import { migrateDatabase } from '../base/migrate.ts'
import { knownVersions } from './known-versions.ts'

test('of a long log, the newest version of each row is known, whichever page names it', async () => {
  const database = await openDatabase(join(mkdtempSync(join(tmpdir(), 'keyferry-versions-')), 'keyferry.db'))
  await migrateDatabase(database, '2026-01-31T12:00:00.000Z')
  const entries = Array.from({ length: 2_000 }, (_, index) => {
    const body = JSON.stringify({ seq: index + 1, data: {}, rows: [`keys k${index % 1_500} ${index}`] })
    const at = '2026-01-31T12:00:00.000Z'
    return { tenant_id: 't', seq: index + 1, hash: '', body, origin: null, at, action: 'x', target_id: 'k' }
  })
  await database.write(async (transaction) => {
    for (const entry of entries) await transaction.insertInto('audit_log').values(entry).execute()
  })
  const known = await knownVersions(database.query)
  expect(known.size).toBe(1_500)
  expect([known.get('keys k0'), known.get('keys k499'), known.get('keys k1499')]).toEqual([
    1_500, 1_999, 1_499,
  ])
  await database.close()
})
