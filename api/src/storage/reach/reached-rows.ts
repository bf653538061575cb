import {
  CommonTableExpressionNameNode,
  CommonTableExpressionNode,
  type RawBuilder,
  SelectQueryNode,
  sql,
  WithNode,
} from 'kysely'
import { type BundleReach, partsOf } from '../../domain/people/reach.ts'
import type { Queries, Query } from '../base/queries.ts'
import type { Tables } from '../base/tables.ts'

/*
 * The library as a limited member sees it. Each select of such a query layer begins with common table expressions that
 * have the names of the tables, and hold only the rows within reach. So every read finds these rows and no others, also
 * one that is added later, and what is out of reach is not found, as an unknown id. What writes, and what must not be
 * looser for a limited member (rules, names that are taken), reads with `wholeOf`.
 */

/** Whose reach: of a member of one tenant. */
export type ReachScope = { tenantId: string; userId: string; reach: NonNullable<BundleReach> }

/** What each database says in its own way. */
type Differences = Pick<Queries, 'stored' | 'listed'>

const scopes = new WeakMap<Query, { whole: Query; reach: BundleReach }>()

/** The query layer without a reach. */
export function wholeOf(query: Query): Query {
  return scopes.get(query)?.whole ?? query
}

export function reachOf(query: Query): BundleReach {
  return scopes.get(query)?.reach ?? null
}

export function within(query: Query, scope: ReachScope, differences: Differences): Query {
  const { stored } = differences
  const { bundles, ...others } = reachedRows(scope, differences)
  const define = (table: string, rows: RawBuilder<unknown>) => {
    const all = sql`select * from ${stored(table)} where tenant_id = ${sql.lit(scope.tenantId)}`
    const name = CommonTableExpressionNameNode.create(table)
    const node = CommonTableExpressionNode.create(name, sql`(${all} and ${rows})`.toOperationNode())
    return CommonTableExpressionNode.cloneWith(node, { materialized: false })
  }
  let definitions = WithNode.create(define('bundles', bundles))
  for (const [table, rows] of Object.entries(others))
    definitions = WithNode.cloneWithExpression(definitions, define(table, rows))
  const reached = query.withPlugin({
    transformQuery: ({ node }) => (SelectQueryNode.is(node) ? defined(node, definitions) : node),
    transformResult: async ({ result }) => result,
  })
  scopes.set(reached, { whole: query, reach: scope.reach })
  return reached
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

const HELD = sql`bundle_id in (select id from bundles)`

/** Which rows a limited member sees of each table about bundles. */
export function reachedRows(scope: ReachScope, { stored, listed }: Differences) {
  const { reach } = scope
  const since = sql.lit(reach.since)
  return {
    bundles: fits(sql.ref('name'), reach, { listed }),
    attachments: HELD,
    keys: sql`(id in (select key_id from attachments) or ${takenOut(scope, stored)})`,
    key_versions: sql`key_id in (select id from keys)`,
    legacy_items: HELD,
    deliveries: HELD,
    holdings: sql`coalesce(delivery_id, perhaps_delivery_id) in (select id from deliveries)`,
    fetch_days: HELD,
    grants: HELD,
    machine_grants: HELD,
    machines: sql`id in (select machine_id from machine_grants)`,
    proposals: sql`case when bundle_id is null then ${fits(sql.ref('bundle_name'), reach, { listed })} else ${HELD} end`,
    // Older events tell of what the member saw before the limit, and newer ones can name what it left out.
    audit_log: sql`at > ${since} and ${namesReached({ reach, listed }, (kind) => sql`target_id in (select id from ${kind})`)}`,
    events: sql`created_at > ${since} and ${namesReached({ reach, listed }, (kind) => named(TARGETS, kind))}`,
  } as const satisfies Partial<Record<keyof Tables, RawBuilder<unknown>>>
}

/** Of a key whether its value is the member's own since the limit, and no bundle holds it any more: so they can put it
 * back. */
function takenOut(
  { tenantId, userId, reach }: ReachScope,
  stored: Differences['stored'],
): RawBuilder<unknown> {
  const holding = sql`tenant_id = ${sql.lit(tenantId)} and key_id = keys.id`
  return sql`(value_set_by = ${sql.lit(userId)} and value_proposed_by is null and value_set_at > ${sql.lit(reach.since)}
    and not exists (select 1 from ${stored('attachments')} where ${holding}))`
}

const TARGETS = '%"target":{"kind":"%","id":"'

/** Whether an event names only bundles and keys within reach; by its text, in which a bundle may not be made yet. */
function namesReached(
  { reach, listed }: Pick<ReachScope, 'reach'> & Pick<Differences, 'listed'>,
  isFound: (table: RawBuilder<unknown>) => RawBuilder<unknown>,
): RawBuilder<unknown> {
  const [bundles, keys] = [sql.table('bundles'), sql.table('keys')]
  return sql`(
    (body not like '%"target":{"kind":"bundle",%' or ${isFound(bundles)})
    and (body not like '%"target":{"kind":"key",%' or ${isFound(keys)})
    and (body not like '%"bundle":{"id":"%' or ${named('%"bundle":{"id":"', bundles)})
    and (body not like '%"into":"%' or ${fits(sql.ref('body'), reach, { listed, before: '%"into":"', after: '"%' })})
  )`
}

function named(before: string, table: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`exists (select 1 from ${table} as named where body like ${sql.lit(before)} || named.id || '"%')`
}

function fits(
  name: RawBuilder<unknown>,
  { patterns }: NonNullable<BundleReach>,
  { listed, before = '', after = '' }: Pick<Differences, 'listed'> & { before?: string; after?: string },
): RawBuilder<unknown> {
  const texts = patterns.map((pattern) => likeOf(partsOf(pattern.replaceAll('_', '\\_'))))
  const list = listed(JSON.stringify(texts.map((text) => `${before}${text}${after}`)))
  return sql`exists (select 1 from ${list} where lower(${name}) like patterns.value escape '\\')`
}

function likeOf(parts: ReturnType<typeof partsOf>): string {
  if ('begin' in parts) return `${parts.begin}%`
  return 'end' in parts ? `%${parts.end}` : parts.whole
}
