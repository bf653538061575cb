import { emailKey } from '../../domain/base/email.ts'
import type { Query } from '../base/queries.ts'
import { countOf } from '../base/tenant-rows.ts'
import { credentials } from './credentials.ts'
import { personOf } from './person-identities.ts'
import { linksOf } from './person-links.ts'

/** By its id, or by the e-mail address that the person signs in with here. */
export type NewWay = { idpUserId: string } | { email: string }

/** People by their id or a proven e-mail address; `orOwner`: also by the address that they sign in with here. */
export function peopleNamed(query: Query, asked: string, orOwner = false) {
  const key = emailKey(asked)
  const people = query.selectFrom('users').select(['id', 'idp_user_id', 'email', 'is_active'])
  return people.where((either) => {
    const isTheirs = either.or([either('proven_key', '=', key), ...(orOwner ? [credentials.isOwner] : [])])
    return either.or([either('id', '=', asked), either.and([either('email_key', '=', key), isTheirs])])
  })
}

/** The two people that an operator wants to link.
 * @param asked the id or the e-mail address of the person who stays
 * @returns a text: why they are not clear */
export async function linkedSides(query: Query, asked: string, fresh: NewWay) {
  const idpUserId = 'idpUserId' in fresh ? fresh.idpUserId : await credentials.wayOf(query, fresh.email)
  if (idpUserId === null) return 'no local account has the new e-mail address'
  const freshId = await personOf(query, idpUserId)
  const found = await peopleNamed(query, asked)
    .where('id', '<>', freshId ?? '')
    .execute()
  const [old, ...others] = found
  if (old === undefined) return 'no other person has this id or verified e-mail address'
  if (others.length > 0)
    return `several people have this address, name one by id: ${found.map(({ id }) => id).join(', ')}`
  return {
    idpUserId,
    oldIdpUserId: old.idp_user_id,
    old: await sideOf(query, old.id),
    fresh: freshId === null ? null : await sideOf(query, freshId),
  }
}

/** All links, with their people. */
export async function listedLinks(query: Query) {
  const links = await linksOf(query).execute()
  return await Promise.all(
    links.map(async ({ id, user_id, from_user_id, linked_at }) => ({
      id,
      linked_at,
      old: await sideOf(query, user_id),
      fresh: from_user_id === null ? null : await sideOf(query, from_user_id),
    })),
  )
}

async function sideOf(query: Query, userId: string) {
  const { email } = await query
    .selectFrom('users')
    .select('email')
    .where('id', '=', userId)
    .executeTakeFirstOrThrow()
  const workspaces = await countOf(query.selectFrom('memberships').where('user_id', '=', userId))
  return { userId, email, workspaces }
}
