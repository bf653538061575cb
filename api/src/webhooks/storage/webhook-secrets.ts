import { Plaintext } from '@keyferry/crypto/plaintext'
import { tenantKeyFor } from '@keyferry/crypto/tenant-key'
import { decryptValue, encryptValue } from '@keyferry/crypto/value-cipher'
import type { Query } from '../../storage/base/queries.ts'
import type { TenantKeys } from '../../storage/keys-at-rest/tenant-keys.ts'
import { type SecretPlace, secretContext } from './rows.ts'

type PlaceInTenant = Omit<SecretPlace, 'tenantId'>

/** Secrets of webhooks at rest, encrypted for their place as values are. */
export type WebhookSecrets = {
  /** The tenant's key comes from the database, so call this before a transaction begins.
   * @returns decrypts a secret; it throws CryptoError if the row was changed or moved */
  opener(tenantId: string): Promise<(blob: Uint8Array, place: PlaceInTenant) => string>
  cipher(transaction: Query, tenantId: string): Promise<(secret: string, place: PlaceInTenant) => Uint8Array>
}

export function webhookSecrets(tenantKeys: TenantKeys): WebhookSecrets {
  return {
    async opener(tenantId) {
      const keys = await tenantKeys.of(tenantId)
      return (blob, place) =>
        decryptValue(blob, tenantKeyFor(blob, keys), secretContext({ ...place, tenantId })).reveal()
    },
    async cipher(transaction, tenantId) {
      const [key] = await tenantKeys.locked(transaction, tenantId)
      return (secret, place) => encryptValue(Plaintext.of(secret), key, secretContext({ ...place, tenantId }))
    },
  }
}
