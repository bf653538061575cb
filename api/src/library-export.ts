import { LIMITS } from '@keyferry/contract'
import { seal } from '@keyferry/crypto/seal'
import { type DatabaseSettings, ringOf, withDatabase } from './maintenance.ts'
import type { Query } from './storage/base/queries.ts'
import { TenantKeys } from './storage/keys-at-rest/tenant-keys.ts'
import { ValueVault } from './storage/keys-at-rest/value-vault.ts'
import { readWholeLibrary } from './storage/transfer/library-export.ts'

/** `publicKey`: 32 bytes, of the receiving server. `bundleNames`: only these bundles and their keys; empty:
 * everything. */
export type LibraryExport = { kid: string; publicKey: Uint8Array; bundleNames: readonly string[] }

/** Seal the library of a database to the deposit key of another server.
 * @returns the text of the file, and how many bundles and keys it holds
 * @throws Error with one line for the operator: the database has several workspaces, a bundle does not exist or has
 *   inline items, or the library is too large for one move */
export async function exportLibrary(
  settings: DatabaseSettings,
  { kid, publicKey, bundleNames }: LibraryExport,
): Promise<{ text: string; bundles: number; keys: number }> {
  return withDatabase(settings, async ({ query }) => {
    const vault = new ValueVault(new TenantKeys(query, ringOf(settings)), 'keys')
    const content = await readWholeLibrary(query, vault, { tenantId: await onlyTenant(query), bundleNames })
    const bytes = Buffer.from(JSON.stringify(content))
    if (content.keys.length > LIMITS.movedKeys || bytes.length > LIMITS.movedBytes)
      throw tooLarge(content.keys.length)
    const box = Buffer.from(seal(bytes, publicKey)).toString('base64')
    bytes.fill(0)
    const text = JSON.stringify({ keyferry_library: 1, kid, box_base64: box })
    return { text, bundles: content.bundles.length, keys: content.keys.length }
  })
}

async function onlyTenant(query: Query): Promise<string> {
  const [tenant, ...others] = await query.selectFrom('tenants').select('id').limit(2).execute()
  if (tenant === undefined) throw new Error('this database has no library')
  if (others.length > 0)
    throw new Error('this database has several workspaces: only the library of a local server can be moved')
  return tenant.id
}

function tooLarge(keys: number): Error {
  const most = `${LIMITS.movedKeys} keys and ${LIMITS.movedBytes / 1024} KiB`
  return new Error(
    `the library has ${keys} keys, and one file holds at most ${most}: name some of its bundles after the server, and export the others next`,
  )
}
