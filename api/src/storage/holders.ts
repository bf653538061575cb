import { sql } from 'kysely'
import { madeBy } from '../domain/event.ts'
import type { HolderStore, Holding } from '../domain/holder.ts'
import type { WholePage } from '../domain/listing.ts'
import { labelIn, viaIn } from './deliveries.ts'
import type { Queries, Query } from './queries.ts'
import { staleKeys } from './stale-keys.ts'

export function createHolderStore(queries: Queries): HolderStore {
  const { query, write, record } = queries
  return {
    ofKey: (tenantId, keyId, page) => holdersOf(query, { tenantId, keyId, page }),
    ofPerson: (tenantId, userId, page) => holdingsOf(query, { tenantId, userId, page }),
    staleKeys: (tenantId, before, page) => staleKeys(query, { tenantId, before, page }),
    dismiss: (tenantId, { keyId, holder, stamp }) =>
      write(async (transaction) => {
        const name = await dismiss(transaction, { tenantId, keyId, holder, at: stamp.at })
        if (name === null) return false
        const target = { kind: 'key', id: keyId, name } as const
        const action = 'key.holder_dismissed'
        await record(transaction, { tenantId, action, target, ...madeBy(stamp) })
        return true
      }),
  }
}

function entries(query: Query, tenantId: string) {
  return query
    .selectFrom('holdings')
    .where('holdings.tenant_id', '=', tenantId)
    .where('holdings.dismissed_at', 'is', null)
}

/** The delivery that an entry tells of: the last one that was confirmed, or else the one that was not. */
const DELIVERY = sql<string>`coalesce(holdings.delivery_id, holdings.perhaps_delivery_id)`

const GIVEN = sql<number>`coalesce(holdings.version, holdings.perhaps_version)`

function withDelivery(query: Query, tenantId: string) {
  return entries(query, tenantId)
    .leftJoin('deliveries', (join) =>
      join.onRef('deliveries.tenant_id', '=', 'holdings.tenant_id').on('deliveries.id', '=', DELIVERY),
    )
    .select(['holdings.holder', 'holdings.version', 'holdings.perhaps_version'])
    .select(['holdings.first_at', 'holdings.last_at', 'holdings.times'])
    .select(['deliveries.label', 'deliveries.via', DELIVERY.as('delivery_id')])
}

type Row = Omit<Holding, 'label' | 'via' | 'current_version'> & { label: string | null; via: string | null }

function holding<R extends Row>({ label, via, ...row }: R) {
  return { ...row, label: labelIn(label), via: viaIn(via) }
}

type OfKey = { tenantId: string; keyId: string; page: WholePage }

async function holdersOf(query: Query, { tenantId, keyId, page }: OfKey): ReturnType<HolderStore['ofKey']> {
  const key = await query
    .selectFrom('keys')
    .select('value_version as current_version')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  if (!key) return null
  const [rows, { total }] = await Promise.all([
    withDelivery(query, tenantId)
      .leftJoin('users', 'users.id', 'holdings.user_id')
      .select(['holdings.user_id', 'users.username'])
      .where('holdings.key_id', '=', keyId)
      .orderBy(GIVEN)
      .orderBy('holdings.holder')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    entries(query, tenantId)
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('holdings.key_id', '=', keyId)
      .executeTakeFirstOrThrow(),
  ])
  const present = ({ user_id: id, username: name, ...row }: (typeof rows)[number]) => ({
    ...holding(row),
    ...key,
    person: { kind: 'user', id, name } as const,
  })
  return { total, rows: rows.map(present) }
}

type OfPerson = { tenantId: string; userId: string; page: WholePage }

async function holdingsOf(
  query: Query,
  { tenantId, userId, page }: OfPerson,
): ReturnType<HolderStore['ofPerson']> {
  const [rows, { total }] = await Promise.all([
    withDelivery(query, tenantId)
      .innerJoin('keys', (join) =>
        join.onRef('keys.tenant_id', '=', 'holdings.tenant_id').onRef('keys.id', '=', 'holdings.key_id'),
      )
      .select(['keys.id as key_id', 'keys.name as key_name', 'keys.value_version as current_version'])
      .where('holdings.user_id', '=', userId)
      .orderBy('keys.name')
      .orderBy('holdings.holder')
      .limit(page.limit)
      .offset(page.offset)
      .execute(),
    entries(query, tenantId)
      .select(({ fn }) => fn.countAll<number>().as('total'))
      .where('holdings.user_id', '=', userId)
      .executeTakeFirstOrThrow(),
  ])
  if (total === 0 && !(await isMember(query, tenantId, userId))) return null
  const present = ({ key_id: id, key_name: name, ...row }: (typeof rows)[number]) => ({
    ...holding(row),
    key: { id, name },
  })
  return { total, rows: rows.map(present) }
}

async function isMember(query: Query, tenantId: string, userId: string): Promise<boolean> {
  const row = await query
    .selectFrom('memberships')
    .select('id')
    .where('user_id', '=', userId)
    .where('tenant_id', '=', tenantId)
    .executeTakeFirst()
  return row !== undefined
}

type Dismissal = { tenantId: string; keyId: string; holder: string; at: string }

// The key's name; null where there is no such entry.
async function dismiss(
  transaction: Query,
  { tenantId, keyId, holder, at }: Dismissal,
): Promise<string | null> {
  const { numUpdatedRows } = await transaction
    .updateTable('holdings')
    .set({ dismissed_at: at })
    .where('tenant_id', '=', tenantId)
    .where('key_id', '=', keyId)
    .where('holder', '=', holder)
    .where('dismissed_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) return null
  const row = await transaction
    .selectFrom('keys')
    .select('name')
    .where('tenant_id', '=', tenantId)
    .where('id', '=', keyId)
    .executeTakeFirst()
  return row?.name ?? null
}
