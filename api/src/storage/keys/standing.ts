import {
  type Effects,
  effectsOf,
  type Getter,
  type Standing,
  type TouchedIds,
} from '../../domain/approvals/effects.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import { reaches } from '../../domain/people/reach.ts'
import { changed } from '../../domain/people/touch.ts'
import { inChunks } from '../base/chunks.ts'
import type { Query, Recorded } from '../base/queries.ts'
import { copiesOfCall } from '../base/recording.ts'
import { selectOf } from '../base/tenant-rows.ts'
import { allRules } from '../bundles/policies.ts'
import { keepRulesOf } from '../bundles/policy-changes.ts'
import { programs } from '../programs/programs.ts'
import { REACH, withReach } from '../reach/membership-reach.ts'
import { wholeOf } from '../reach/reached-rows.ts'

/** Read who gets what before a change.
 * @returns a function that compares it with who gets what after it, and stores the rules that values keep */
export async function comparing(
  transaction: Recorded,
  tenantId: string,
  touched: TouchedIds | null,
): Promise<(stamp: Stamp, written: TouchedIds, judge: (effects: Effects) => void) => Promise<void>> {
  const query = wholeOf(transaction)
  const before = await standingIn(query, tenantId, touched)
  return async (stamp, written, judge) => {
    // New keys have other ids in each run, and the end of a bundle is no write of its keys.
    const keyIds = new Set([...before.keys.keys(), ...written.madeIds])
    // Another call attached this key after the first run, so its state before the change is unknown.
    if (touched && [...written.keyIds].some((id) => !keyIds.has(id))) throw changed()
    const after = await standingIn(query, tenantId, touched && { ...written, keyIds })
    const effects = effectsOf(before, after, copiesOfCall())
    judge(effects)
    const keeping = effects.leaving.flatMap(({ id, kept }) => (kept ? [{ id, kept }] : []))
    await keepRulesOf(transaction, keeping, stamp)
  }
}

async function standingIn(query: Query, tenantId: string, touched: TouchedIds | null): Promise<Standing> {
  const rules = await allRules(query, tenantId)
  const bundles = await selectOf(query, 'bundles', tenantId)
    .select(['id', 'name', 'tags', 'production'])
    .execute()
  const places = selectOf(query, 'attachments', tenantId).select(['key_id', 'bundle_id'])
  const inBundles = await inChunks([...(touched?.bundleIds ?? [])], (ids) =>
    places.where('bundle_id', 'in', ids).execute(),
  )
  const keyIds = touched && [...new Set([...touched.keyIds, ...inBundles.map(({ key_id }) => key_id)])]
  const attached = await (keyIds === null
    ? places.execute()
    : inChunks(keyIds, (ids) => places.where('key_id', 'in', ids).execute()))
  const placesOfKeys = Map.groupBy(attached, ({ key_id }) => key_id)
  const all = selectOf(query, 'keys', tenantId).select(['id', 'name', 'is_secret'])
  const rows = await (keyIds === null
    ? all.execute()
    : inChunks(keyIds, (ids) => all.where('id', 'in', ids).execute()))
  const keys = rows.map(({ id, name, is_secret }) => {
    const bundleIds = placesOfKeys.get(id)?.map(({ bundle_id }) => bundle_id) ?? []
    return [id, { id, name, isSecret: is_secret === 1, bundleIds }] as const
  })
  return {
    rules,
    bundles: new Map(bundles.map((bundle) => [bundle.id, bundle])),
    keys: new Map(keys),
    getters: new Map<string, Getter>([
      ...(await programs.getters(query, tenantId)),
      ...(await peopleIn(query, tenantId, bundles)),
    ]),
  }
}

async function peopleIn(query: Query, tenantId: string, bundles: readonly { id: string; name: string }[]) {
  const rows = await selectOf(query, 'memberships', tenantId)
    .innerJoin('users', 'users.id', 'memberships.user_id')
    .select([...REACH, 'users.username'])
    .execute()
  return (await withReach(query, rows)).map(({ user_id, username, reach }) => {
    const reached = bundles.filter(({ name }) => reaches(reach, name)).map(({ id }) => id)
    const gets = reach === null ? null : new Set(reached)
    const patterns = reach?.patterns ?? []
    return [user_id, { name: `member ${username}`, is: [], patterns, gets }] as const
  })
}
