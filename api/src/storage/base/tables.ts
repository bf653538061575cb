import { joined } from '@keyferry/contract/joined'
import { audit } from '../schema/audit.ts'
import { bundles } from '../schema/bundles.ts'
import { type Flag, type RowsOf, text } from '../schema/column.ts'
import { deliveries } from '../schema/deliveries.ts'
import { keys } from '../schema/keys.ts'
import * as modules from '../schema/modules.ts'
import { people } from '../schema/people.ts'
import { requests } from '../schema/requests.ts'
import { serverKeys } from '../schema/server-keys.ts'

/** Every table that contains data, each after those that it refers to.
 *
 * Ids are UUIDs and times ISO 8601 in UTC, both as text; `value` and `wrapped_key` are blobs of the crypto package. The
 * first column of every index is the tenant where there is one, so that a search reads only rows of that tenant. */
export const TABLES = {
  ...people,
  ...keys,
  ...bundles,
  ...deliveries,
  ...requests,
  ...joined(modules, 'tables'),
  ...audit,
  ...serverKeys,
} as const

/** Which migrations this database has, each with the hash of what it did. */
export const JOURNAL = {
  migrations: { columns: { name: text, hash: text, applied_at: text }, rules: ['primary key (name)'] },
} as const

export type Tables = RowsOf<typeof TABLES & typeof JOURNAL>

export type KeyRow = Tables['keys']
export type { Flag }

export function flag(isSet: boolean): Flag {
  return isSet ? 1 : 0
}
