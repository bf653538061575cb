import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import { type Identity, oneDatabase, openDatabaseOf, startTestApi, type TestApi } from './api.ts'

const MARK = 'MARKED'

describe.each(oneDatabase)('marked values on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let params: { key_id: string; bundle_id: string; request_id: string }
  beforeAll(async () => {
    api = await startTestApi(kind, { logLevel: 'trace' })
    owner = await api.newOwner()
    await liveALife()
  })
  afterAll(() => api.close())

  const as = () => ({ as: owner, params })

  // A secret with several values, each marked: created, changed, restored, imported, delivered with a marked argument.
  async function liveALife(): Promise<void> {
    const { json: bundle } = await api.call('createBundle', { as: owner, body: { name: 'dev/app' } })
    const { json: key } = await api.call('createKey', { as: owner, body: { name: 'A', value: `${MARK}-1` } })
    const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
    const meta = { hostname: 'laptop', user: 'sam', command: `/usr/bin/psql --password ${MARK}-argument` }
    const { json: request } = await api.call('createRequest', { body: { client_pubkey, meta } })
    params = { key_id: key.id, bundle_id: bundle.id, request_id: request.id }
    await api.call('attachKey', as())
    await api.call('updateKey', { ...as(), body: { value: `${MARK}-2` } })
    await api.call('restoreKeyVersion', { ...as(), body: { version: 1 } })
    const entries = [{ name: 'B', value: `${MARK}-3` }]
    await api.call('importVariables', { as: owner, body: { bundle: 'dev/app', entries } })
    await api.call('splitKey', { ...as(), body: { value: `${MARK}-4` } }).catch(() => null)
    await api.call('upsertLegacyItem', { ...as(), body: { key: 'C', value: `${MARK}-5` } })
    const body = { bundle_id: bundle.id, include_keys: ['A', 'B', 'C'] }
    expect((await api.call('encryptFromBundle', { ...as(), body })).status).toBe(200)
    expect((await api.call('waitForApproval', { params })).json.status).toBe('ready')
    await api.call('createKey', { as: owner, body: { name: 'A', value: `${MARK}-refused` } })
    const deliveries = () => api.call('listDeliveries', { as: owner })
    await until('the collection', async () => (await deliveries()).text.includes('collected'))
  }

  test('appear in no answer about what happened', async () => {
    const answers = await Promise.all([
      api.call('listAudit', { as: owner, query: { limit: '1000' } }),
      api.call('exportAudit', { as: owner }),
      api.call('listKeyVersions', as()),
      api.call('listHolders', as()),
      api.call('listHoldings', { as: owner, params: { user_id: owner.userId } }),
      api.call('listDeliveries', { as: owner }),
      api.call('getBundle', as()),
    ])
    for (const { status, text } of answers) {
      expect(status).toBe(200)
      expect(text).not.toContain(MARK)
    }
  })

  test('appear in no row of the log, the outbox, the deliveries and the versions, and in no log line', async () => {
    const database = await openDatabaseOf(api)
    for (const table of [
      'events',
      'audit_log',
      'audit_seals',
      'deliveries',
      'holdings',
      'key_versions',
      'keys',
    ]) {
      const { rows } = await sql<Record<string, unknown>>`select * from ${sql.table(table)}`.execute(
        database.query,
      )
      const text = rows.map((row) => Object.values(row).map(readable).join(' ')).join('\n')
      expect(text, table).not.toContain(MARK)
    }
    await database.close()
    expect(api.log()).not.toContain(MARK)
  })

  test('the search finds what is there: the name of the program', async () => {
    expect((await api.call('listAudit', { as: owner })).text).toContain('psql')
  })
})

function readable(value: unknown): string {
  return value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : String(value)
}
