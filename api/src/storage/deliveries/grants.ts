import { LIMITS } from '@keyferry/contract'
import type { ExpressionBuilder } from 'kysely'
import { z } from 'zod'
import {
  type Grant,
  type GrantFilter,
  type GrantStore,
  type KnownGrant,
  makesKnown,
  type NewGrant,
  SignedUse,
  usesLeft,
} from '../../domain/approvals/grant.ts'
import { madeBy } from '../../domain/base/event.ts'
import type { WholePage } from '../../domain/base/listing.ts'
import type { NewDelivery } from '../../domain/deliveries/delivery.ts'
import { labelIn } from '../base/delivery-texts.ts'
import { ask } from '../base/pipeline.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import { countOf, pageOf, selectOf, updateOf } from '../base/tenant-rows.ts'
import { bundleEvent } from '../bundles/bundle-changes.ts'
import { epochOf } from '../people/credential-ends.ts'
import { endGrants } from '../people/grant-ends.ts'
import { begin } from './delivery-begin.ts'

/** How many grants of one terminal are looked at: the newest. */
const LOOKED_AT = 100

export function createGrantStore({ query, write }: Queries): GrantStore {
  return {
    ofDevice: (deviceKey) => ofDevice(query, deviceKey),
    list: (tenantId, filter, page) => list(query, { tenantId, ...filter }, page),
    revoke: (tenantId, { id, userId, stamp }) =>
      write(async (transaction) => {
        const which = { tenantId, id, ...(userId === null ? {} : { userId }) }
        const end = { reason: 'revoked', ...madeBy(stamp) } as const
        const open = selectOf(transaction, 'grants', { tenantId, id }).where('ended', 'is', null)
        const own = userId === null ? open : open.where('user_id', '=', userId)
        const found = await ask(transaction, own.select('id'))
        await endGrants(transaction, which, end)
        return found.length > 0
      }),
    endOfPerson: (userId, stamp) =>
      write((transaction) => {
        const end = { reason: 'signed_out', ...madeBy(stamp) } as const
        return endGrants(transaction, { userId }, end)
      }),
    endOfDevice: (deviceKey, { at, origin }) =>
      write((transaction) => {
        const actor = { kind: 'client', id: null } as const
        return endGrants(transaction, { deviceKey }, { reason: 'forgotten', actor, at, origin })
      }),
    async forgetBefore(time) {
      await query.deleteFrom('grants').where('expires_at', '<', time).execute()
    },
  }
}

/** Count a use of a remembered approval in a transaction, and record its delivery.
 * @returns false: it allows none any more */
export async function useGrant(
  transaction: Recorded,
  { tenantId, grantId, delivery }: { tenantId: string; grantId: string; delivery: NewDelivery },
): Promise<boolean> {
  if (!(await countUse(transaction, { tenantId, grantId, at: delivery.stamp.at }))) return false
  await begin(transaction, { tenantId, delivery })
  return true
}

/** Keep in a transaction what a terminal may repeat. @see GrantRecords.insert */
export async function insertGrant(transaction: Recorded, tenantId: string, grant: NewGrant): Promise<void> {
  const { id, bundle, stamp, keys, hours, epoch } = grant
  if ((await epochOf(transaction, stamp.by)) !== epoch) return
  await transaction
    .insertInto('grants')
    .values({
      tenant_id: tenantId,
      id,
      bundle_id: bundle.id,
      user_id: stamp.by,
      device_key: grant.deviceKey,
      argv: JSON.stringify(grant.argv),
      argv_masked: grant.argvMasked,
      cwd: grant.cwd,
      agent: grant.agent,
      use: grant.use && JSON.stringify(grant.use),
      label: JSON.stringify(grant.label),
      keys: JSON.stringify(keys),
      left_out: JSON.stringify(grant.leftOut),
      asked: JSON.stringify(grant.asked),
      bundle_names: grant.bundleNames,
      hours,
      uses: grant.uses,
      created_at: stamp.at,
      expires_at: grant.expiresAt,
      last_used_at: null,
      ended: null,
    })
    .execute()
  const { once, task } = grant.use ?? {}
  const how = once ? { once: true as const } : task ? { task: true as const } : { hours }
  const data = { grant: id, ...how, names: keys }
  const event = { action: 'grant.created', data } as const
  transaction.record(bundleEvent(bundle, stamp, event))
}

// One statement, so that a use and a revocation at once cannot both win, nor two uses share the last one.
async function countUse(
  transaction: Query,
  { tenantId, grantId, at }: { tenantId: string; grantId: string; at: string },
): Promise<boolean> {
  const counted = updateOf(transaction, 'grants', { tenantId, id: grantId })
    .set((column) => ({ uses: column('uses', '+', 1), last_used_at: at }))
    .where('ended', 'is', null)
    .where('expires_at', '>', at)
    .where('uses', '<', LIMITS.grantUses)
    .returning('id')
  return (await ask(transaction, counted)).length === 1
}

async function ofDevice(query: Query, deviceKey: string): Promise<KnownGrant[]> {
  const rows = await query
    .selectFrom('grants')
    .innerJoin('bundles', 'bundles.id', 'grants.bundle_id')
    .innerJoin('tenants', 'tenants.id', 'grants.tenant_id')
    .selectAll('grants')
    .select([
      'bundles.name as bundle_name',
      'bundles.tags',
      'bundles.production',
      'tenants.name as tenant_name',
    ])
    .where('grants.device_key', '=', deviceKey)
    .orderBy('grants.created_at', 'desc')
    .limit(LOOKED_AT)
    .execute()
  return rows.map((row) => ({
    ...termsOf(row),
    id: row.id,
    tenant: { id: row.tenant_id, name: row.tenant_name },
    userId: row.user_id,
    bundle: { id: row.bundle_id, name: row.bundle_name, tags: row.tags, production: row.production },
    expiresAt: row.expires_at,
    uses: row.uses,
    ended: row.ended,
  }))
}

const Texts = z.array(z.string())

function textsIn(json: string): string[] {
  return Texts.parse(JSON.parse(json))
}

function termsOf(row: Tables['grants']) {
  return {
    hours: row.hours,
    keys: textsIn(row.keys),
    leftOut: textsIn(row.left_out),
    bundleNames: row.bundle_names,
    deviceKey: row.device_key,
    argv: textsIn(row.argv),
    argvMasked: row.argv_masked,
    cwd: row.cwd,
    agent: row.agent,
    use: useIn(row.use),
    asked: textsIn(row.asked),
  }
}

function useIn(json: string | null): SignedUse | null {
  return json === null ? null : SignedUse.parse(JSON.parse(json))
}

function shownUse(use: string | null): Pick<Grant, 'repository' | 'task'> {
  const { repository, task } = useIn(use) ?? {}
  return { ...(repository === undefined ? {} : { repository }), ...(task ? { task: true } : {}) }
}

type ListFilter = GrantFilter & { tenantId: string }

async function list(query: Query, filter: ListFilter, page: WholePage): ReturnType<GrantStore['list']> {
  const ordered = holding(query, filter)
    .innerJoin('bundles', 'bundles.id', 'grants.bundle_id')
    .leftJoin('users', 'users.id', 'grants.user_id')
    .selectAll('grants')
    .select(['bundles.name as bundle_name', 'users.username'])
    .select(lastLabel)
    .orderBy('grants.created_at', 'desc')
    .orderBy('grants.id')
  if (filter.knownSince === null) {
    const { rows, total } = await pageOf(ordered, page, countOf(holding(query, filter)))
    return { total, rows: rows.map(presented) }
  }
  // The database does not read what a grant is for, so these are counted here.
  const known = (await ordered.execute()).filter(({ use }) => makesKnown(useIn(use)))
  return { total: known.length, rows: known.slice(page.offset, page.offset + page.limit).map(presented) }
}

// What its last use ran. A use writes nothing that the MAC covers: an old row that was put back would become a new one.
function lastLabel(grant: ExpressionBuilder<Tables, 'grants'>) {
  return grant
    .selectFrom('deliveries')
    .select('deliveries.label')
    .whereRef('deliveries.tenant_id', '=', 'grants.tenant_id')
    .whereRef('deliveries.bundle_id', '=', 'grants.bundle_id')
    .whereRef('deliveries.user_id', '=', 'grants.user_id')
    .whereRef('deliveries.created_at', '=', 'grants.last_used_at')
    .limit(1)
    .as('last_label')
}

function holding(query: Query, { tenantId, userId, now, knownSince }: ListFilter) {
  const open = selectOf(query, 'grants', tenantId).where('grants.ended', 'is', null)
  return open
    .$if(knownSince === null, (select) =>
      select.where('grants.expires_at', '>', now).where('grants.uses', '<', LIMITS.grantUses),
    )
    .$if(knownSince !== null, (select) => select.where('grants.created_at', '>', knownSince ?? ''))
    .$if(userId !== null, (select) => select.where('grants.user_id', '=', userId ?? ''))
}

type ListedRow = Tables['grants'] & {
  bundle_name: string
  username: string | null
  last_label: string | null
}

function presented(row: ListedRow): Grant {
  return {
    id: row.id,
    bundle: { id: row.bundle_id, name: row.bundle_name },
    person: { kind: 'user', id: row.user_id, name: row.username },
    label: labelIn(row.last_label ?? row.label) ?? { hostname: '', user: '', program: '' },
    ...shownUse(row.use),
    argv: textsIn(row.argv),
    cwd: row.cwd,
    agent: row.agent,
    keys: textsIn(row.keys),
    created_at: row.created_at,
    expires_at: row.expires_at,
    uses: row.last_used_at === null ? 0 : row.uses,
    uses_left: usesLeft(row),
    last_used_at: row.last_used_at,
  }
}
