import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditKeyOf, createAuditSeed } from '@keyferry/crypto/audit-key'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { openRequestNotices } from '../src/request-store/request-notices.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import { recording } from '../src/storage/base/recording.ts'
import { togetherWith } from '../src/storage/joined-stores.ts'
import type { OpenedStores } from '../src/storage/requests/request-store.contract.ts'
import { type RequestStoreOptions, Requests } from '../src/storage/requests/requests.ts'
import type { DatabaseKind } from './api.ts'
import { actsOn } from './request-acts.ts'

const AT = '2026-01-31T12:00:00.000Z'

export async function requestPlace(kind: DatabaseKind): Promise<string> {
  return kind === 'postgres'
    ? await freshPostgres()
    : join(mkdtempSync(join(tmpdir(), 'keyferry-requests-')), 'keyferry.db')
}

/** The requests of a database, as one process has them. */
export async function openRequests(place: string, options: Partial<RequestStoreOptions> = {}) {
  const database = await openDatabase(place)
  await migrateDatabase(database, AT)
  const queries = recording(database, auditKeyOf(createAuditSeed()))
  const notices = await openRequestNotices({ redis: null })
  const requests = new Requests(queries, { notices, ...options })
  return { database, queries, requests, notices, together: togetherWith(queries, requests) }
}

/** Two nodes on one database: with SQLite one process has both. */
export async function openRequestNodes(kind: DatabaseKind): Promise<OpenedStores> {
  const place = await requestPlace(kind)
  const one = await openRequests(place)
  const other = kind === 'sqlite' ? one : await openRequests(place, { notices: one.notices })
  const opened = [...new Set([one, other])]
  return {
    here: actsOn(one.requests),
    there: actsOn(other.requests),
    async small(maxLive, maxBytes) {
      const small = await openRequests(await requestPlace(kind), {
        maxLive,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      })
      opened.push(small)
      return actsOn(small.requests)
    },
    async close() {
      for (const { database } of opened) await database.close()
    },
  }
}
