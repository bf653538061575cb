import { isEventMac } from '@keyferry/crypto/audit-chain'
import type { Tables } from '../base/tables.ts'
import type { NamedAuditKey } from '../keys-at-rest/audit-keys.ts'

/** Whether an API node wrote this row of the outbox. */
export function isGenuine(
  { tenant_id, body, origin, mac }: Pick<Tables['events'], 'tenant_id' | 'body' | 'origin' | 'mac'>,
  key: NamedAuditKey,
): boolean {
  return isEventMac(mac, { tenantId: tenant_id, body, origin }, key.mac)
}
