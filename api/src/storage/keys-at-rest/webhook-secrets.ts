import { Plaintext } from '@keyferry/crypto/plaintext'
import { decryptValue, encryptValue } from '@keyferry/crypto/value-cipher'
import type { TenantKeys } from './tenant-keys.ts'

/** A secret of a webhook, and its place: `version` counts up from 1 with each rotation. */
type SecretPlace = { tenantId: string; webhookId: string; version: number }

/** Secrets of webhooks at rest, encrypted for their place as values are. The tenant's key comes from the database, so
 * fetch it before a transaction begins. */
export type WebhookSecrets = {
  of(tenantId: string): Promise<{
    seal: (secret: string, place: Omit<SecretPlace, 'tenantId'>) => Uint8Array
    /** @throws CryptoError: the row was changed or moved */
    open: (blob: Uint8Array, place: Omit<SecretPlace, 'tenantId'>) => string
  }>
}

export function webhookSecrets(tenantKeys: TenantKeys): WebhookSecrets {
  return {
    async of(tenantId) {
      const key = await tenantKeys.of(tenantId)
      return {
        seal: (secret, place) => encryptValue(Plaintext.of(secret), key, contextOf({ ...place, tenantId })),
        open: (blob, place) => decryptValue(blob, key, contextOf({ ...place, tenantId })).reveal(),
      }
    },
  }
}

function contextOf({ tenantId, webhookId, version }: SecretPlace) {
  return {
    tenantId,
    table: 'webhooks',
    rowId: webhookId,
    column: 'secret',
    version,
    name: 'secret',
    isSecret: true,
  }
}
