import type { TouchRule } from '@keyferry/contract'
import { NO_RULES, type RulesAt } from '../src/domain/approvals/policy.ts'
import type { Database } from '../src/storage/base/queries.ts'
import { hasChanged } from '../src/storage/base/statements.ts'
import { updateOf } from '../src/storage/base/tenant-rows.ts'
import { linesAt, linesOf, placeOf, ruledText } from '../src/storage/rules/set-rules.ts'

/** Set the rule `touch` of a place as a server does, past the calls that it guards.
 * @param database with the key of the MACs of rows */
export function writeTouch(
  database: Database,
  { tenantId, at }: { tenantId: string; at: RulesAt },
  touch: TouchRule,
): Promise<void> {
  const row = { ...NO_RULES, people: null, tenant_id: tenantId, touch }
  return database.write(async (transaction) => {
    const tenants = transaction.selectFrom('tenants').select('ruled').where('id', '=', tenantId)
    const { ruled } = await tenants.executeTakeFirstOrThrow()
    const noted = { ruled: ruledText([...linesOf(ruled), ...linesAt(at, touch)]) }
    await transaction.updateTable('tenants').set(noted).where('id', '=', tenantId).execute()
    const { place, bundle_id } = placeOf(at)
    if (await hasChanged(updateOf(transaction, 'policies', { tenantId, place }).set({ touch }))) return
    await transaction
      .insertInto('policies')
      .values({ ...row, place, bundle_id })
      .execute()
    if (bundle_id !== null)
      await transaction.updateTable('bundles').set({ ruled: 1 }).where('id', '=', bundle_id).execute()
  })
}
