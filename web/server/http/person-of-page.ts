import { PERSON_HEADER } from '@keyferry/contract'
import type { FastifyRequest } from 'fastify'
import { Refusal } from './refusal.ts'

/** Refuse a call of a page that shows another person than the one who is signed in. One browser has one session for all
 * its tabs, so a page must not go on in the name of a person who signed in in another tab.
 * @throws Refusal other_person: `details.user_id` is signed in */
export function requirePersonOfPage({ headers }: FastifyRequest, { userId }: { userId: string }): void {
  const named = headers[PERSON_HEADER]
  if (named === undefined || named === userId) return
  const message = 'another person is signed in than this page shows: reload the page'
  throw new Refusal(409, 'other_person', message, { details: { user_id: userId } })
}
