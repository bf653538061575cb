/*
 * One person can have several ways to sign in. A link of the operator makes a new way sign in the person of an old way;
 * an equal e-mail address links nobody. The memberships of the new way move to the person; signing keys, remembered
 * approvals and proposals end with the memberships that they belong to. A link ends all sessions, and can be undone for
 * a month; later it can still be removed, but nothing moves back.
 */

/** The ids of the new and the old way, as ensure-user has them. */
export type WantedLink = { idpUserId: string; oldIdpUserId: string }

/** `ended`: the ids whose sessions end. `remembered`: how many remembered approvals ended. `left`: the person whose
 * memberships moved away. */
export type ChangedLink = { id: string; ended: string[]; remembered: number; left: string | null }

const UNDO_MS = 30 * 24 * 60 * 60 * 1_000

/** Whether undoing a link still moves back what it moved. */
export function isUndoable(linkedAt: string, now: string): boolean {
  return Date.parse(linkedAt) + UNDO_MS > Date.parse(now)
}

/** What a refusal says to the operator. */
export const LINK_REFUSALS = {
  absent: 'User not found',
  inactive: 'Forbidden: user is inactive',
  same: 'both ways sign in the same person already',
  chained: 'other ways to sign in are linked to this person: undo those links first',
} as const
