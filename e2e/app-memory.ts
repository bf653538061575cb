import { DatabaseSync } from 'node:sqlite'
import { createClient } from '@keyferry/contract/client'
import { PATIENCE_MS } from '../plumbing/test/until.ts'
import { askApproval, META } from './app-library.ts'

export type Handing = {
  bundleId: string
  names: readonly string[]
  /** What the terminal says of itself, beside what it says otherwise. */
  meta?: Readonly<Record<string, string>>
  /** Whether the terminal fetches what was approved. */
  isCollected?: boolean
  /** What the approver's calls carry. */
  headers?: Readonly<Record<string, string>>
}

/** Ask as a terminal, approve, and fetch. The server must trust this machine as a proxy. */
export async function deliver(
  url: string,
  { bundleId, names, meta = {}, isCollected = true, headers = {} }: Handing,
): Promise<void> {
  const call = createClient(url)
  const { id: request_id } = await askApproval(url, { meta: { ...META, ...meta } })
  await call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', {
    params: { request_id },
    headers,
    body: { bundle_id: bundleId, include_keys: [...names] },
  })
  if (isCollected) await call('GET', '/api/v1/requests/{request_id}/wait', { params: { request_id } })
}

/** Let a server's database believe that values were set and delivered this many days earlier. */
export function makeOlder(dataDir: string, keyName: string, days: number): void {
  const database = new DatabaseSync(`${dataDir}/keyferry.db`, { timeout: PATIENCE_MS })
  const at = new Date(Date.now() - days * 86_400_000).toISOString()
  database.prepare('update keys set value_set_at = ? where name = ?').run(at, keyName)
  // One after the other, in the order of the approvals.
  const then = "strftime('%Y-%m-%dT%H:%M:%fZ', ?1, rowid || ' seconds')"
  const holdings = `update holdings set first_at = ${then}, last_at = ${then} where key_id = (select id from keys where name = ?2)`
  database.prepare(holdings).run(at, keyName)
  const versions = 'update key_versions set set_at = ?, replaced_at = ? where name = ?'
  database.prepare(versions).run(at, at, keyName)
  database.close()
}
