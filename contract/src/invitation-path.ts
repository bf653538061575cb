/** Set by the page of an invitation: its token. The first call of a new person creates them. */
export const INVITATION_HEADER = 'keyferry-invitation'

/** The token of the invitation whose page a path leads to, or null. */
export function invitationIn(path: string): string | null {
  return /^\/invite\/([\w-]{1,128})$/.exec(path)?.[1] ?? null
}
