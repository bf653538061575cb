import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { auditKeyOf, createAuditSeed } from '@keyferry/crypto/audit-key'
import { generateRootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import { freshPostgres } from '../../plumbing/test/postgres.ts'
import { openRequestNotices } from '../src/request-store/request-notices.ts'
import { openDatabase } from '../src/storage/base/database.ts'
import { migrateDatabase } from '../src/storage/base/migrate.ts'
import { recording } from '../src/storage/base/recording.ts'
import { togetherWith } from '../src/storage/joined-stores.ts'
import type { OpenedStores } from '../src/storage/requests/request-store.contract.ts'
import { type RequestStoreOptions, Requests } from '../src/storage/requests/requests.ts'
import { createStores } from '../src/storage/stores.ts'
import type { DatabaseKind } from './api.ts'
import { actsOn, type RequestActs } from './request-acts.ts'

const SAMPLE_BOUNDS = {
  assurance: 'compat',
  bundleEntries: 10_000,
  tenantBytes: 1_073_741_824,
  versionsKept: 2,
  workspacesPerPerson: 9,
} as const

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
  const auditKey = { ...auditKeyOf(createAuditSeed()), name: 'keyferry.example.com/audit' }
  const queries = recording(database, auditKey)
  const notices = await openRequestNotices({ redis: null })
  const requests = new Requests(queries, { notices, ...options })
  const ring = new RootKeyRing([generateRootKey()])
  const { library } = createStores(queries, { ring, auditKey, bounds: SAMPLE_BOUNDS })
  return { database, queries, requests, notices, together: togetherWith(queries, { requests, library }) }
}

export function actsOf(requests: Requests): RequestActs {
  return actsOn(requests, (work) => requests.joined(work))
}

/** Two nodes on one database: with SQLite one process has both. */
export async function openRequestNodes(kind: DatabaseKind): Promise<OpenedStores> {
  const place = await requestPlace(kind)
  const one = await openRequests(place)
  const other = kind === 'sqlite' ? one : await openRequests(place, { notices: one.notices })
  const opened = [...new Set([one, other])]
  return {
    here: actsOf(one.requests),
    there: actsOf(other.requests),
    async small(maxLive, maxBytes) {
      const small = await openRequests(await requestPlace(kind), {
        maxLive,
        ...(maxBytes === undefined ? {} : { maxBytes }),
      })
      opened.push(small)
      return actsOf(small.requests)
    },
    async close() {
      for (const { database } of opened) await database.close()
    },
  }
}
