import type { Query } from './queries.ts'

/** Count a bundle or key in or out, in the transaction that stores or deletes it. */
export async function count(
  transaction: Query,
  { tenantId, column, by }: { tenantId: string; column: 'bundle_count' | 'key_count'; by: 1 | -1 },
): Promise<void> {
  await transaction
    .updateTable('tenants')
    .set((expression) => ({ [column]: expression(column, '+', by) }))
    .where('id', '=', tenantId)
    .execute()
}

export async function counted(
  query: Query,
  tenantId: string,
  column: 'bundle_count' | 'key_count',
): Promise<number> {
  const row = await query.selectFrom('tenants').select(column).where('id', '=', tenantId).executeTakeFirst()
  return row?.[column] ?? 0
}
