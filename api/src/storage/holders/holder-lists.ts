import { sql } from 'kysely'
import { madeBy } from '../../domain/base/event.ts'
import type { ListPage, WholePage } from '../../domain/base/listing.ts'
import type { HolderStore, Holding, KeyHolding, TypedValue } from '../../domain/deliveries/holder.ts'
import { labelIn, viaIn } from '../base/delivery-texts.ts'
import type { Queries, Query } from '../base/queries.ts'
import { countOf, pageOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { programsShown } from '../programs/programs.ts'
import { bundlesOf } from '../rules/key-bundles.ts'
import { PROGRAM } from '../schema/column.ts'
import { countsByPerson, staleKeys } from './holder-counts.ts'

export function createHolderStore(queries: Queries): HolderStore {
  const { query, write } = queries
  return {
    ofKey: (tenantId, keyId, page) => holdersOf(query, { tenantId, keyId, page }),
    olderOfKey: (tenantId, keyId, page) => holdersOf(query, { tenantId, keyId, page, areOlder: true }),
    ofPerson: (tenantId, id, page) => holdingsOf(query, { tenantId, page, column: 'user_id', id }),
    ofProgram: (tenantId, id, page) => holdingsOf(query, { tenantId, page, column: PROGRAM, id }),
    typedBy: (tenantId, userId, page) => typedBy(query, { tenantId, userId, page }),
    counts: (tenantId) => countsByPerson(query, tenantId),
    staleKeys: (tenantId, before, page) => staleKeys(query, { tenantId, before, page }),
    dismiss: (tenantId, { keyId, holder, stamp }) =>
      write(async (transaction) => {
        const name = await dismiss(transaction, { tenantId, keyId, holder, at: stamp.at })
        if (name === null) return false
        const target = { kind: 'key', id: keyId, name } as const
        const action = 'key.holder_dismissed'
        transaction.record({ action, target, ...madeBy(stamp) })
        return true
      }),
  }
}

function entries(query: Query, tenantId: string) {
  return selectOf(query, 'holdings', tenantId).where('holdings.dismissed_at', 'is', null)
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

type HoldingRow = Omit<Holding, 'label' | 'via' | 'current_version'> & {
  label: string | null
  via: string | null
}

function holding<R extends HoldingRow>({ label, via, ...row }: R) {
  return { ...row, label: labelIn(label), via: viaIn(via) }
}

type OfKey = { tenantId: string; keyId: string; page: WholePage; areOlder?: boolean }

async function holdersOf(
  query: Query,
  { tenantId, keyId, page, areOlder = false }: OfKey,
): ReturnType<HolderStore['ofKey']> {
  const key = await selectOf(query, 'keys', { tenantId, id: keyId })
    .select('value_version as current_version')
    .executeTakeFirst()
  if (!key) return null
  // No index has this order, so only the holders are sorted, and the rest is read for those of the page.
  const ofKey = entries(query, tenantId)
    .where('holdings.key_id', '=', keyId)
    .$if(areOlder, (rows) => rows.where(GIVEN, '<', key.current_version))
  const holders = ofKey
    .select('holder')
    .orderBy(GIVEN)
    .orderBy(DELIVERY)
    .limit(page.limit)
    .offset(page.offset)
  const shown = withDelivery(query, tenantId)
    .leftJoin('users', 'users.id', 'holdings.user_id')
    .select(['holdings.user_id', 'users.username', `holdings.${PROGRAM} as program_id`])
    .where('holdings.key_id', '=', keyId)
    .where('holdings.holder', 'in', holders)
    .orderBy(GIVEN)
    .orderBy(DELIVERY)
  const [rows, total] = await Promise.all([shown.execute(), countOf(ofKey)])
  const programIds = rows.map(({ program_id }) => program_id)
  const shownProgram = await programsShown(query, programIds)
  const present = ({ user_id, username, program_id, ...row }: (typeof rows)[number]) => {
    const person = { kind: 'user' as const, id: user_id ?? '', name: username }
    return { ...holding(row), ...key, who: program_id === null ? person : shownProgram(program_id) }
  }
  return { total, rows: rows.map(present) }
}

type HolderOwner = { column: 'user_id' | typeof PROGRAM; id: string }

async function holdingsOf(
  query: Query,
  { tenantId, page, column, id }: HolderOwner & { tenantId: string; page: WholePage },
): Promise<ListPage<KeyHolding>> {
  const { rows, total } = await pageOf(
    withDelivery(query, tenantId)
      .innerJoin('keys', (join) =>
        join.onRef('keys.tenant_id', '=', 'holdings.tenant_id').onRef('keys.id', '=', 'holdings.key_id'),
      )
      .select(['keys.id as key_id', 'keys.name as key_name', 'keys.value_version as current_version'])
      .select('keys.is_secret')
      .where(`holdings.${column}`, '=', id)
      .orderBy('keys.is_secret', 'desc')
      .orderBy('keys.name')
      .orderBy('holdings.holder'),
    page,
    countOf(entries(query, tenantId).where(`holdings.${column}`, '=', id)),
  )
  const bundles = await bundlesOf(
    query,
    tenantId,
    rows.map(({ key_id }) => key_id),
  )
  const present = ({ key_id, key_name: name, is_secret, ...row }: (typeof rows)[number]) => ({
    ...holding(row),
    key: { id: key_id, name, is_secret: is_secret === 1, bundles: bundles.get(key_id) ?? [] },
  })
  return { total, rows: rows.map(present) }
}

/** The deliveries before a time that an entry names. Such an entry was last confirmed when its delivery was
 * collected. */
export async function deliveriesOfHolders(
  query: Query,
  tenantId: string,
  before: string,
): Promise<ReadonlySet<string>> {
  const rows = await selectOf(query, 'holdings', tenantId)
    .select(DELIVERY.as('id'))
    .distinct()
    .where('last_at', '<', before)
    .execute()
  return new Set(rows.map(({ id }) => id))
}

type Dismissal = { tenantId: string; keyId: string; holder: string; at: string }

// The key's name; null where there is no such entry.
async function dismiss(
  transaction: Query,
  { tenantId, keyId, holder, at }: Dismissal,
): Promise<string | null> {
  const { numUpdatedRows } = await updateOf(transaction, 'holdings', { tenantId, key_id: keyId, holder })
    .set({ dismissed_at: at })
    .where('dismissed_at', 'is', null)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows !== 1n) return null
  const row = await selectOf(transaction, 'keys', { tenantId, id: keyId }).select('name').executeTakeFirst()
  return row?.name ?? null
}

type TypedBy = { tenantId: string; userId: string; page: WholePage }

/** The values that a person typed, imported or proposed: of each key the newest one. */
async function typedBy(query: Query, { tenantId, userId, page }: TypedBy): Promise<ListPage<TypedValue>> {
  const newest = sql<number>`coalesce(${currentOf(userId)}, ${olderOf(userId)})`
  const typed = selectOf(query, 'keys', tenantId).where(sql<boolean>`${newest} is not null`)
  const shown = typed
    .select(['keys.id', 'keys.name', 'keys.is_secret', 'value_version'])
    .select(newest.as('version'))
    .orderBy('keys.is_secret', 'desc')
    .orderBy('keys.name')
  const { rows, total } = await pageOf(shown, page, countOf(typed))
  const ids = rows.map(({ id }) => id)
  const bundles = await bundlesOf(query, tenantId, ids)
  const present = ({ id, name, is_secret, value_version, version }: (typeof rows)[number]) => ({
    version,
    key: { id, name, version: value_version, is_secret: is_secret === 1, bundles: bundles.get(id) ?? [] },
  })
  return { total, rows: rows.map(present) }
}

const currentOf = (userId: string) => sql`case when keys.value_how in ('set', 'import')
  and (keys.value_set_by = ${userId} or keys.value_proposed_by = ${userId}) then keys.value_version end`

const olderOf = (userId: string) => sql`(select max(old.version) from key_versions as old
  where old.tenant_id = keys.tenant_id and old.key_id = keys.id and old.how in ('set', 'import')
    and (old.set_by = ${userId} or old.proposed_by = ${userId}))`
