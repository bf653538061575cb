import { CryptoError } from '@keyferry/crypto/crypto-error'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { sql } from 'kysely'
import type { Query } from '../base/queries.ts'
import type { Flag } from '../base/tables.ts'
import { boundProposal } from '../keys-at-rest/proposal-values.ts'
import { TenantKeys } from '../keys-at-rest/tenant-keys.ts'
import { type ValueTable, ValueVault } from '../keys-at-rest/value-vault.ts'
import { type WebhookSecrets, webhookSecrets } from '../keys-at-rest/webhook-secrets.ts'

const ROWS_AT_ONCE = 500

type StoredIn = ValueTable | 'key_versions'

/** `version`: of the value that failed. */
type ValueFailure = {
  table: StoredIn | 'webhooks'
  id: string
  version: number
  tenantId: string
  problem: string
}

export type Verification = { checked: number; failures: readonly ValueFailure[] }

/** Open every value there is. */
export async function verifyStoredValues(query: Query, ring: RootKeyRing): Promise<Verification> {
  const tenantKeys = new TenantKeys(query, ring)
  const failures: ValueFailure[] = []
  let checked = 0
  for (const table of ['keys', 'key_versions', 'legacy_items', 'proposals'] as const) {
    // A replaced value stays bound to its place in the table keys.
    const vault = new ValueVault(tenantKeys, table === 'key_versions' ? 'keys' : table)
    for await (const rows of allRows(query, table)) {
      checked += rows.length
      for (const row of rows) failures.push(...(await failureOf(vault, table, row)))
    }
  }
  const ofWebhooks = await verifySecrets(query, webhookSecrets(tenantKeys))
  return { checked: checked + ofWebhooks.checked, failures: [...failures, ...ofWebhooks.failures] }
}

async function verifySecrets(query: Query, secrets: WebhookSecrets): Promise<Verification> {
  const failures: ValueFailure[] = []
  let checked = 0
  let last = { tenant_id: '', id: '' }
  for (;;) {
    const rows = await someWebhooks(query, last)
    for (const { place, value } of rows.flatMap(storedSecrets)) {
      checked += 1
      const { tenantId, id: webhookId, version } = place
      const open = async () => (await secrets.of(tenantId)).open(value, { webhookId, version })
      failures.push(...(await failureIn(place, open)))
    }
    const end = rows.at(-1)
    if (!end) return { checked, failures }
    last = end
  }
}

function someWebhooks(query: Query, after: { tenant_id: string; id: string }) {
  return query
    .selectFrom('webhooks')
    .select(['tenant_id', 'id', 'secret', 'secret_version', 'old_secret'])
    .where((columns) =>
      columns(columns.refTuple('tenant_id', 'id'), '>', columns.tuple(after.tenant_id, after.id)),
    )
    .orderBy('tenant_id')
    .orderBy('id')
    .limit(ROWS_AT_ONCE)
    .execute()
}

// During a rotation the old secret is good too.
function storedSecrets(row: Awaited<ReturnType<typeof someWebhooks>>[number]) {
  const { tenant_id: tenantId, id, secret, secret_version: version, old_secret: old } = row
  const place = { table: 'webhooks', id, tenantId } as const
  return [
    { place: { ...place, version }, value: secret },
    ...(old === null ? [] : [{ place: { ...place, version: version - 1 }, value: old }]),
  ]
}

type ValueRow = {
  id: string
  tenant_id: string
  name: string
  value: Uint8Array | null
  value_version: number
  is_secret: Flag
  template_parts: string | null
}

async function* allRows(query: Query, table: StoredIn): AsyncGenerator<ValueRow[]> {
  let last: RowPlace = { tenant_id: '', id: '', value_version: 0 }
  for (;;) {
    const rows = await SOME[table](query, last)
    yield rows
    const end = rows.at(-1)
    if (!end) return
    last = end
  }
}

type RowPlace = Pick<ValueRow, 'tenant_id' | 'id' | 'value_version'>

const SOME: Readonly<Record<StoredIn, (query: Query, after: RowPlace) => Promise<ValueRow[]>>> = {
  keys: (query, after) => someRows(query, 'keys', after),
  key_versions: someVersions,
  legacy_items: (query, after) => someRows(query, 'legacy_items', after),
  proposals: someProposals,
}

async function someProposals(query: Query, { tenant_id, id }: RowPlace): Promise<ValueRow[]> {
  const rows = await query
    .selectFrom('proposals')
    .selectAll()
    .where((columns) => columns(columns.refTuple('tenant_id', 'id'), '>', columns.tuple(tenant_id, id)))
    .where('value', 'is not', null)
    .orderBy('tenant_id')
    .orderBy('id')
    .limit(ROWS_AT_ONCE)
    .execute()
  return rows.map((row) => ({ ...boundProposal(row), template_parts: null, ...row }))
}

function someRows(query: Query, table: 'keys' | 'legacy_items', after: RowPlace): Promise<ValueRow[]> {
  return query
    .selectFrom(table)
    .select(['id', 'tenant_id', 'name', 'value', 'value_version', 'is_secret'])
    .select((table === 'keys' ? sql<string | null>`template_parts` : sql<null>`null`).as('template_parts'))
    .where((columns) =>
      columns(columns.refTuple('tenant_id', 'id'), '>', columns.tuple(after.tenant_id, after.id)),
    )
    .orderBy('tenant_id')
    .orderBy('id')
    .limit(ROWS_AT_ONCE)
    .execute()
}

function someVersions(query: Query, { tenant_id, id, value_version }: RowPlace): Promise<ValueRow[]> {
  return query
    .selectFrom('key_versions')
    .select(['key_id as id', 'tenant_id', 'name', 'value', 'version as value_version', 'is_secret'])
    .select('template_parts')
    .where((columns) =>
      columns(
        columns.refTuple('tenant_id', 'key_id', 'version'),
        '>',
        columns.tuple(tenant_id, id, value_version),
      ),
    )
    .where('value', 'is not', null)
    .orderBy('tenant_id')
    .orderBy('key_id')
    .orderBy('version')
    .limit(ROWS_AT_ONCE)
    .execute()
}

async function failureOf(vault: ValueVault, table: StoredIn, row: ValueRow): Promise<ValueFailure[]> {
  const { id, tenant_id: tenantId, value_version: version } = row
  return failureIn({ table, id, version, tenantId }, async () => (await vault.of(tenantId)).open(row))
}

async function failureIn(
  place: Omit<ValueFailure, 'problem'>,
  open: () => Promise<unknown>,
): Promise<ValueFailure[]> {
  try {
    await open()
    return []
  } catch (error) {
    if (!(error instanceof CryptoError)) throw error
    return [{ ...place, problem: error.message }]
  }
}
