import type { Query } from '../base/queries.ts'

/** Whom a way to sign in means: the person that it is linked to, or its own. Null: nobody signed in with it yet. */
export async function personOf(query: Query, idpUserId: string): Promise<string | null> {
  const link = await query
    .selectFrom('person_links')
    .select('user_id')
    .where('idp_user_id', '=', idpUserId)
    .where('state', '=', 'linked')
    .executeTakeFirst()
  if (link) return link.user_id
  const own = query.selectFrom('users').select('id').where('idp_user_id', '=', idpUserId)
  return (await own.executeTakeFirst())?.id ?? null
}

/** All ids under which sessions of a person can be. */
export async function identitiesOf(query: Query, userId: string): Promise<string[]> {
  const own = await query.selectFrom('users').select('idp_user_id').where('id', '=', userId).execute()
  const linked = await query
    .selectFrom('person_links')
    .select('idp_user_id')
    .where('user_id', '=', userId)
    .where('state', '=', 'linked')
    .execute()
  return [...new Set([`user_${userId}`, ...[...own, ...linked].map(({ idp_user_id }) => idp_user_id)])]
}
