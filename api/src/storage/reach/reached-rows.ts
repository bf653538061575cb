import { joined } from '@keyferry/contract/joined'
import {
  CommonTableExpressionNameNode,
  CommonTableExpressionNode,
  type RawBuilder,
  SelectQueryNode,
  sql,
  type WithNode,
} from 'kysely'
import { type BundleReach, partsOf } from '../../domain/people/reach.ts'
import type { Queries, Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'
import * as modules from '../schema/modules.ts'

/*
 * The library as a limited member sees it. Each select of such a query layer begins with common table expressions that
 * have the names of the tables, and contain only the rows within reach. So every read finds these rows and no others,
 * also one that is added later, and what is out of reach is not found, as an unknown id. What writes, and what must not
 * be looser for a limited member (rules, names that are taken), reads with `wholeOf`.
 */

/** Whose reach: of a member of one tenant. */
export type ReachScope = { tenantId: string; userId: string; reach: NonNullable<BundleReach> }

/** What each database says in its own way. */
type Differences = Pick<Queries, 'stored' | 'quotedAfter'>

const scopes = new WeakMap<Query, { whole: Query; reach: BundleReach }>()

/** The query layer without a reach. */
export function wholeOf(query: Query): Query {
  return scopes.get(query)?.whole ?? query
}

export function reachOf(query: Query): BundleReach {
  return scopes.get(query)?.reach ?? null
}

/** @param query no transaction: all transactions of a database share prepared statements (see `readByIds`) */
export function within(query: Query, scope: ReachScope, differences: Differences): Query {
  const { stored } = differences
  const define = (as: string, rows: RawBuilder<unknown>, table = as) => {
    const all = sql`select * from ${stored(table)} where tenant_id = ${sql.lit(scope.tenantId)}`
    const name = CommonTableExpressionNameNode.create(as)
    const node = CommonTableExpressionNode.create(name, sql`(${all} and ${rows})`.toOperationNode())
    return CommonTableExpressionNode.cloneWith(node, { materialized: false })
  }
  const tables = Object.entries(reachedRows(scope, differences)).map(([table, rows]) => define(table, rows))
  // On PostgreSQL, a definition uses those before it instead of tables. So this one comes first.
  const anywhere = define(ANYWHERE, sql`1 = 1`, 'attachments')
  const own = define(OWN_KEYS, setBy(scope), 'keys')
  const definitions: WithNode = { kind: 'WithNode', expressions: [anywhere, own, ...tables] }
  const reached = query.withPlugin({
    transformQuery: ({ node }) => (SelectQueryNode.is(node) ? defined(node, definitions) : node),
    transformResult: async ({ result }) => result,
  })
  scopes.set(reached, { whole: query, reach: scope.reach })
  return reached
}

/** All attachments of the workspace, also those out of reach. */
const ANYWHERE = 'attachments_anywhere'

/** The keys whose value the member set since the limit. */
const OWN_KEYS = 'own_keys'

/** The ids of all keys within reach, and some more; null: the query layer has no limit. A list begins with them instead
 * of all keys of the workspace. */
export function nearKeys(query: Query): RawBuilder<unknown> | null {
  if (reachOf(query) === null) return null
  const ofBundles = sql`select key_id from bundles cross join attachments where bundle_id = bundles.id`
  return sql`(${ofBundles} union all select id from ${sql.table(OWN_KEYS)})`
}

/** A query in a union has no definitions of its own: those of the whole count. */
function defined(node: SelectQueryNode, definitions: WithNode): SelectQueryNode {
  const bare = node.setOperations?.map((operation) => {
    if (!SelectQueryNode.is(operation.expression)) return operation
    const { with: _, ...expression } = operation.expression
    return { ...operation, expression }
  })
  return { ...node, ...(bare === undefined ? {} : { setOperations: bare }), with: definitions }
}

/** Which rows a limited member sees of each table about bundles. Each row is looked up by an id that it names. With
 * `in`, SQLite would scan everything within reach for each row of a join. */
export function reachedRows(scope: ReachScope, { quotedAfter }: Pick<Differences, 'quotedAfter'>) {
  const { reach } = scope
  const since = sql.lit(reach.since)
  const ofReachedBundle = isReached('bundles', sql.ref('bundle_id'))
  // From the event's text, which can name a bundle that does not exist yet.
  const namesReached = (targetOf: (kind: string) => RawBuilder<unknown>) => sql`(
    (body not like '%"target":{"kind":"bundle",%' or ${isReached('bundles', targetOf('bundle'))})
    and (body not like '%"target":{"kind":"key",%' or ${isReached('keys', targetOf('key'))})
    and (body not like '%"bundle":{"id":"%' or ${isReached('bundles', quotedAfter('"bundle":{"id":"'))})
    and (body not like '%"into":"%' or ${fits(quotedAfter('"into":"'), reach)})
  )`
  return {
    bundles: fits(sql.ref('name'), reach),
    attachments: ofReachedBundle,
    keys: sql`(exists (select 1 from attachments where key_id = keys.id) or ${takenOut(scope)})`,
    key_versions: isReached('keys', sql.ref('key_id')),
    legacy_items: ofReachedBundle,
    deliveries: ofReachedBundle,
    holdings: isReached('deliveries', sql`coalesce(delivery_id, perhaps_delivery_id)`),
    fetch_days: ofReachedBundle,
    grants: ofReachedBundle,
    ...joined(modules, 'reached'),
    proposals: sql`case when bundle_id is null then ${fits(sql.ref('bundle_name'), reach)} else ${ofReachedBundle} end`,
    // Older events tell of what the member saw before the limit, and newer ones can name what it left out.
    audit_log: sql`at > ${since} and ${namesReached(() => sql.ref('target_id'))}`,
    events: sql`created_at > ${since} and ${namesReached((kind) => quotedAfter(`"target":{"kind":"${kind}","id":"`))}`,
  } as const satisfies Partial<Record<keyof Tables, RawBuilder<unknown>>>
}

function isReached(table: string, id: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (select 1 from ${sql.table(table)} as reached where reached.id = ${id})`
}

/** Of a key whether its value is the member's own since the limit, and no bundle contains it any more: so they can put
 * it back. */
function takenOut(scope: ReachScope): RawBuilder<unknown> {
  return sql`(${setBy(scope)} and value_proposed_by is null
    and not exists (select 1 from ${sql.table(ANYWHERE)} where key_id = keys.id))`
}

function setBy({ userId, reach }: ReachScope): RawBuilder<unknown> {
  return sql`value_set_by = ${sql.lit(userId)} and value_set_at > ${sql.lit(reach.since)}`
}

// Same rule as `reaches`. Patterns of one kind and length share a list, in which the database finds a part of the name.
function fits(name: RawBuilder<unknown>, { patterns }: NonNullable<BundleReach>): RawBuilder<unknown> {
  const texts = patterns.map((pattern) => Object.entries(partsOf(pattern)))
  const lists = Map.groupBy(texts.flat(), ([kind, { length }]) => `${kind} ${length}`)
  const conditions = [...lists.values()].map((list) => {
    const [[kind, { length }] = ['', '']] = list
    const begin = kind === 'end' ? sql`length(${name}) - ${sql.lit(length - 1)}` : sql`1`
    const part = kind === 'whole' ? name : sql`substr(${name}, ${begin}, ${sql.lit(length)})`
    return sql`lower(${part}) in (${sql.join(list.map(([, text]) => sql.lit(text)))})`
  })
  return sql`(${sql.join([sql`1 = 0`, ...conditions], sql` or `)})`
}
