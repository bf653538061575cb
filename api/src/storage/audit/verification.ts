import { CryptoError } from '@keyferry/crypto/crypto-error'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { tenantKeyFor } from '@keyferry/crypto/tenant-key'
import { decryptValue } from '@keyferry/crypto/value-cipher'
import type { Queries } from '../base/queries.ts'
import { storedValues } from '../keys-at-rest/stored-values.ts'
import { TenantKeys } from '../keys-at-rest/tenant-keys.ts'
import type { StoredValue } from '../schema/encrypted.ts'

/** `version`: of the value that failed. */
type ValueFailure = Pick<StoredValue, 'table' | 'id' | 'version' | 'tenantId'> & { problem: string }

export type Verification = { checked: number; failures: readonly ValueFailure[] }

/** Open every value there is. */
export async function verifyStoredValues(
  queries: Pick<Queries, 'query' | 'lockKeyShare'>,
  ring: RootKeyRing,
): Promise<Verification> {
  const tenantKeys = new TenantKeys(queries, ring)
  const failures: ValueFailure[] = []
  let checked = 0
  for await (const values of storedValues(queries.query, null)) {
    checked += values.length
    for (const value of values) failures.push(...(await failureOf(tenantKeys, value)))
  }
  return { checked, failures }
}

async function failureOf(tenantKeys: TenantKeys, value: StoredValue): Promise<ValueFailure[]> {
  const { table, id, version, tenantId, blob, context } = value
  try {
    decryptValue(blob, tenantKeyFor(blob, await tenantKeys.of(tenantId)), context)
    return []
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error
    return [{ table, id, version, tenantId, problem: error.message }]
  }
}
