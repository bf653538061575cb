import type { Query } from './queries.ts'
import type { CountedTable } from './tables.ts'

// How many rows a tenant has is kept beside them by the database itself, so that the first page of a long list needs no
// counting. A total may be spread over several rows: who adds to one holds it until the transaction ends.
const CHANGE = `insert into tenant_counts (tenant_id, counted, slot, total)`
const INTO_TOTAL = `on conflict (tenant_id, counted, slot) do update set total = tenant_counts.total + excluded.total`
const SLOTS = 64

/** The rows of a table that a tenant has. */
export async function counted(query: Query, tenantId: string, table: CountedTable): Promise<number> {
  const { total } = await query
    .selectFrom('tenant_counts')
    .select(({ fn }) => fn.sum<number | null>('total').as('total'))
    .where('tenant_id', '=', tenantId)
    .where('counted', '=', table)
    .executeTakeFirstOrThrow()
  return total ?? 0
}

/** Statements that have SQLite count a table's rows. With one writer at a time, one row holds a total. */
export function countingOnSqlite(table: CountedTable): readonly string[] {
  const on = (event: 'insert' | 'delete', row: 'new' | 'old', by: 1 | -1) =>
    `create trigger ${table}_count_${event} after ${event} on ${table} begin
      ${CHANGE} select id, '${table}', 0, ${by} from tenants where id = ${row}.tenant_id ${INTO_TOTAL};
    end`
  return [on('insert', 'new', 1), on('delete', 'old', -1)]
}

/** Statements that have PostgreSQL count a table's rows. Each connection has a slot, which few others share, so that those who
 * write for one tenant at a time rarely wait for one another. */
export function countingOnPostgres(table: CountedTable): readonly string[] {
  const on = (event: 'insert' | 'delete', rows: 'new' | 'old', sign: '' | '-') => [
    `create function ${table}_count_${event}() returns trigger language plpgsql as $$ begin
      ${CHANGE}
        select tenants.id, '${table}', pg_backend_pid() % ${SLOTS}, ${sign}count(*)
        from changed join tenants on tenants.id = changed.tenant_id group by tenants.id
      ${INTO_TOTAL};
      return null;
    end $$`,
    `create trigger ${table}_count_${event} after ${event} on ${table}
      referencing ${rows} table as changed for each statement execute function ${table}_count_${event}()`,
  ]
  return [...on('insert', 'new', ''), ...on('delete', 'old', '-')]
}
