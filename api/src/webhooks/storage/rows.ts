import type { WebhookMessageType } from '@keyferry/contract/webhooks'
import type { ValueContext } from '@keyferry/crypto/value-cipher'
import {
  bytes,
  deletedWith,
  oneOf,
  orNull,
  type RowsOf,
  type Schema,
  text,
  textOf,
  whole,
  zeroOrOne,
} from '../../storage/schema/column.ts'
import type { EncryptedTable, StoredValue } from '../../storage/schema/encrypted.ts'

export const tables = {
  /** `events` and `bundle_ids` are JSON lists, empty for all. `old_secret` has the version before `secret_version`.
   * `next_at` (no call before) and `claimed_until` (a node sends until then) are '' where nothing delays calls. */
  webhooks: {
    columns: {
      tenant_id: text,
      id: text,
      url: text,
      description: text,
      secret: bytes,
      secret_version: whole,
      old_secret: orNull(bytes),
      old_secret_until: orNull(text),
      events: text,
      bundle_ids: text,
      is_active: zeroOrOne,
      failing_since: orNull(text),
      failures: whole,
      /** The last call failed or took long. */
      is_slow: zeroOrOne,
      next_at: text,
      claimed_until: text,
      claimed_by: orNull(text),
      ended_reason: orNull(oneOf('gone', 'failing')),
      last_delivered_at: orNull(text),
      created_by: text,
      created_at: text,
    },
    rules: ['primary key (tenant_id, id)', deletedWith('tenants', 'tenant_id')],
    indexes: { active: '(next_at) where is_active = 1' },
  },

  /** `merge_key`: set while a `webhook.test` waits, so that only one does. */
  webhook_messages: {
    columns: {
      tenant_id: text,
      webhook_id: text,
      id: text,
      type: textOf<WebhookMessageType>(),
      body: text,
      merge_key: orNull(text),
      state: oneOf('waiting', 'sending', 'done', 'failed'),
      not_before: text,
      give_up_at: text,
      attempts: whole,
      last_status: orNull(whole),
      last_error: orNull(text),
      last_ms: orNull(whole),
      created_at: text,
      done_at: orNull(text),
    },
    rules: ['primary key (tenant_id, webhook_id, id)', deletedWith('webhooks', 'tenant_id, webhook_id')],
    indexes: {
      pending: "(tenant_id, webhook_id, not_before) where state in ('waiting', 'sending')",
      log: '(tenant_id, webhook_id, created_at, id)',
      done: '(done_at) where done_at is not null',
      overdue: "(give_up_at) where state = 'waiting'",
    },
    uniqueIndexes: { coalesced: "(tenant_id, webhook_id, merge_key) where state = 'waiting'" },
  },
} as const satisfies Schema

export type WebhookRow = RowsOf<typeof tables>['webhooks']

export const encrypted: readonly EncryptedTable[] = [
  { table: 'webhooks', columns: ['secret', 'old_secret'], valuesOf: secretsIn },
]

// After the secret of a webhook was replaced, the old one is good for a while.
function secretsIn(row: WebhookRow): readonly StoredValue[] {
  const { tenant_id: tenantId, id, secret, secret_version: newest, old_secret: old } = row
  const at = (column: 'secret' | 'old_secret', blob: Uint8Array, version: number) => ({
    table: 'webhooks',
    column,
    tenantId,
    id,
    version,
    blob,
    context: secretContext({ tenantId, webhookId: id, version }),
  })
  return [at('secret', secret, newest), ...(old === null ? [] : [at('old_secret', old, newest - 1)])]
}

/** A secret of a webhook, and its place: `version` counts up from 1 with each rotation. */
export type SecretPlace = { tenantId: string; webhookId: string; version: number }

/** What a stored secret is bound to. */
export function secretContext({ tenantId, webhookId, version }: SecretPlace): ValueContext {
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

export const macTables = {}
export const reached = {}
