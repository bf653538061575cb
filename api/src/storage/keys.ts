import type { AuditAction } from '@keyferry/contract'
import { sql } from 'kysely'
import { type Event, madeBy } from '../domain/event.ts'
import type { Key, KeyChange, KeyFilter, KeyStore } from '../domain/key.ts'
import type { Slice } from '../domain/listing.ts'
import type { Stamp } from '../domain/stamp.ts'
import type { Queries, Query, Recorded } from './queries.ts'
import { type Flag, flag, type KeyRow } from './tables.ts'
import { holdTenant } from './tenants.ts'
import { containsInAnyCase } from './text-search.ts'
import { type TenantVault, type ValueVault, valueColumn } from './value-vault.ts'

export function createKeyStore(queries: Queries, vault: ValueVault): KeyStore {
  const { query, write, record } = queries
  return {
    insert: inserter(queries, vault),
    find: finder(queries, vault),
    list: (tenantId, filter, slice) => list(query, vault, { tenantId, filter, slice }),
    count: (tenantId, filter) => countMatches(query, tenantId, filter),
    bundlesUsing: bundlesUsing(queries),
    update: (tenantId, keyId, change) => update(queries, vault, { tenantId, keyId, change }),
    delete: (tenantId, keyId, stamp) =>
      write(async (transaction) => {
        const name = await remove(transaction, { tenantId, keyId, stamp })
        if (name === null) return false
        const target = { kind: 'key', id: keyId, name } as const
        await record(transaction, { tenantId, action: 'key.deleted', target, ...madeBy(stamp) })
        return true
      }),
  }
}

function inserter({ write, record }: Queries, vault: ValueVault): KeyStore['insert'] {
  return async (tenantId, { value, ...key }, stamp) => {
    const { seal } = await vault.toWrite(tenantId)
    const row = { ...key, tenant_id: tenantId, is_secret: flag(key.is_secret), value_version: 1 }
    return write(async (transaction) => {
      const inserted = await keyInsertion(transaction, seal(value, row)).executeTakeFirstOrThrow()
      if (inserted.numInsertedOrUpdatedRows !== 1n) return false
      await record(transaction, keyCreated(tenantId, key, stamp))
      return true
    })
  }
}

/** The event of a new key. */
export function keyCreated(
  tenantId: string,
  { id, name, is_secret }: { id: string; name: string; is_secret: boolean },
  stamp: Stamp,
): Event {
  const target = { kind: 'key', id, name } as const
  return { tenantId, action: 'key.created', target, data: { version: 1, is_secret }, ...madeBy(stamp) }
}

/** Adds no row where the tenant has a key of this name. */
export function keyInsertion(query: Query, key: KeyRow) {
  return query
    .insertInto('keys')
    .values(key)
    .onConflict((conflict) => conflict.columns(['tenant_id', 'name']).doNothing())
}

const USED_IN_BUNDLES = sql<number>`(
  select count(*) from attachments
  where attachments.tenant_id = keys.tenant_id and attachments.key_id = keys.id
)`

const UPDATED_BY_NAME = sql<string | null>`(select username from users where users.id = keys.updated_by)`

function keysOf(query: Query, tenantId: string) {
  return query
    .selectFrom('keys')
    .select(['id', 'name', 'value_version', 'is_secret', 'description', 'created_at', 'updated_at'])
    .select(['created_by', 'updated_by', UPDATED_BY_NAME.as('updated_by_name')])
    .select(USED_IN_BUNDLES.as('used_in_bundles'))
    .where('tenant_id', '=', tenantId)
}

type ReadRow = Omit<Key, 'value' | 'is_secret'> & {
  value: Uint8Array | null
  value_version: number
  is_secret: Flag
}

async function opened(vault: ValueVault, tenantId: string, rows: readonly ReadRow[]): Promise<Key[]> {
  const { open } = await vault.of(tenantId)
  return rows.map((row): Key => {
    const { value: _, value_version: __, ...key } = row
    return { ...key, value: open(row), is_secret: row.is_secret === 1 }
  })
}

function finder({ query, prepare }: Queries, vault: ValueVault): KeyStore['find'] {
  const reading = (values: 'public' | 'all') =>
    prepare((value: (name: 'tenantId' | 'keyId') => string) =>
      keysOf(query, value('tenantId')).select(valueColumn(values)).where('id', '=', value('keyId')),
    )
  const read = { public: reading('public'), all: reading('all') }
  return async (tenantId, keyId, values) => {
    const [key] = await opened(vault, tenantId, await read[values]({ tenantId, keyId }))
    return key ?? null
  }
}

async function list(
  query: Query,
  vault: ValueVault,
  { tenantId, filter, slice }: { tenantId: string; filter: KeyFilter; slice: Slice },
): Promise<Key[]> {
  const rows = await keysOf(query, tenantId)
    .select(valueColumn('public'))
    .$if(Boolean(filter.query), (select) => select.where(containsInAnyCase('name', filter.query ?? '')))
    .$if(slice.after !== null, (select) => select.where('name', '>', slice.after ?? ''))
    .orderBy('name')
    .limit(slice.limit)
    .offset(slice.offset)
    .execute()
  return opened(vault, tenantId, rows)
}

async function countMatches(query: Query, tenantId: string, filter: KeyFilter): Promise<number> {
  const { total } = await query
    .selectFrom('keys')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('tenant_id', '=', tenantId)
    .$if(Boolean(filter.query), (select) => select.where(containsInAnyCase('name', filter.query ?? '')))
    .executeTakeFirstOrThrow()
  return total
}

function bundlesUsing({ query, prepare }: Queries): KeyStore['bundlesUsing'] {
  const read = prepare((value: (name: 'tenantId' | 'keyId') => string) =>
    query
      .selectFrom('attachments')
      .innerJoin('bundles', 'bundles.id', 'attachments.bundle_id')
      .select(['bundles.id', 'bundles.name', 'attachments.delivered_name as as'])
      .where('attachments.key_id', '=', value('keyId'))
      .where('attachments.tenant_id', '=', value('tenantId'))
      .orderBy('bundles.name'),
  )
  return (tenantId, keyId) => read({ tenantId, keyId })
}

type Update = { tenantId: string; keyId: string; change: KeyChange & { stamp: Stamp } }

async function update(
  { write, record }: Queries,
  vault: ValueVault,
  { tenantId, keyId, change }: Update,
): Promise<boolean> {
  const tenantVault = await vault.toWrite(tenantId)
  return write((transaction) =>
    changeKey({ transaction, record, vault: tenantVault }, { tenantId, keyId, change }),
  )
}

/** Change a key and record that, in a transaction, which holds the key from then on.
 * @returns false when there is no such key */
export async function changeKey(
  { transaction, record, vault }: Recorded & { vault: TenantVault },
  { tenantId, keyId, change }: Update,
): Promise<boolean> {
  const current = await holdKey(transaction, tenantId, keyId)
  if (!current) return false
  await transaction
    .updateTable('keys')
    .set(changedColumns(vault, current, change))
    .where('id', '=', keyId)
    .where('tenant_id', '=', tenantId)
    .execute()
  await record(transaction, keyChanged(tenantId, current, change))
  return true
}

function keyChanged(tenantId: string, current: HeldKey, change: Update['change']): Event {
  const { id, name, value_version } = current
  const { value, is_secret, description } = change
  const data = {
    version: value ? value_version + 1 : value_version,
    is_secret: is_secret ?? current.is_secret === 1,
    ...(description === undefined ? {} : { changed: ['description'] }),
  }
  const target = { kind: 'key', id, name } as const
  return { tenantId, action: actionOf(current, change), target, data, ...madeBy(change.stamp) }
}

function actionOf(current: HeldKey, { value, is_secret }: KeyChange): AuditAction {
  if (value) return 'key.changed'
  if (is_secret === undefined || flag(is_secret) === current.is_secret) return 'key.described'
  return is_secret ? 'key.declared_secret' : 'key.declared_public'
}

/** Lock a key until the transaction ends, so that the value is encrypted for the row that it goes into. */
function holdKey(transaction: Query, tenantId: string, keyId: string) {
  return transaction
    .updateTable('keys')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', '=', keyId)
    .where('tenant_id', '=', tenantId)
    .returning(['id', 'name', 'is_secret', 'value', 'value_version'])
    .executeTakeFirst()
}

type HeldKey = NonNullable<Awaited<ReturnType<typeof holdKey>>>

function changedColumns({ seal, open }: TenantVault, current: HeldKey, change: Update['change']) {
  const { id, name, value_version } = current
  const is_secret = change.is_secret === undefined ? current.is_secret : flag(change.is_secret)
  const plain = {
    updated_at: change.stamp.at,
    updated_by: change.stamp.by,
    ...(change.description === undefined ? {} : { description: change.description }),
  }
  if (change.value)
    return seal(change.value, { ...plain, id, name, is_secret, value_version: value_version + 1 })
  if (is_secret === current.is_secret) return plain
  // The value is bound to its mark.
  const value = open(current)
  return value === null ? plain : seal(value, { ...plain, id, name, is_secret, value_version })
}

// Everything that moves positions within a bundle holds the bundle's row, here the rows of all bundles that use the key.
// Those who delete keys of one tenant follow one another, or two of them could hold the same rows crosswise.
async function remove(transaction: Query, { tenantId, keyId, stamp }: Removal): Promise<string | null> {
  await holdTenant(transaction, tenantId)
  await stampBundlesUsing(transaction, { tenantId, keyId, stamp })
  await closeGaps(transaction, tenantId, keyId)
  const row = await transaction
    .deleteFrom('keys')
    .where('id', '=', keyId)
    .where('tenant_id', '=', tenantId)
    .returning('name')
    .executeTakeFirst()
  return row?.name ?? null
}

type Removal = { tenantId: string; keyId: string; stamp: Stamp }

function bundlesOf(query: Query, tenantId: string, keyId: string) {
  return query
    .selectFrom('attachments')
    .select('bundle_id')
    .where('key_id', '=', keyId)
    .where('tenant_id', '=', tenantId)
}

async function stampBundlesUsing(transaction: Query, { tenantId, keyId, stamp }: Removal): Promise<void> {
  await transaction
    .updateTable('bundles')
    .set({ updated_at: stamp.at, updated_by: stamp.by })
    .where('tenant_id', '=', tenantId)
    .where('id', 'in', bundlesOf(transaction, tenantId, keyId))
    .execute()
}

async function closeGaps(transaction: Query, tenantId: string, keyId: string): Promise<void> {
  await transaction
    .updateTable('attachments')
    .set((expression) => ({ position: expression('position', '-', 1) }))
    .where('tenant_id', '=', tenantId)
    .where((condition) =>
      condition.exists(
        condition
          .selectFrom('attachments as gone')
          .select('gone.position')
          .where('gone.key_id', '=', keyId)
          .whereRef('gone.tenant_id', '=', 'attachments.tenant_id')
          .whereRef('gone.bundle_id', '=', 'attachments.bundle_id')
          .whereRef('gone.position', '<', 'attachments.position'),
      ),
    )
    .where('bundle_id', 'in', bundlesOf(transaction, tenantId, keyId))
    .execute()
}
