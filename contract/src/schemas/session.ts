import { z } from 'zod'
import { AUTH_MODES } from '../endpoint.ts'
import { listOf, object, Timestamp } from './text.ts'

/** A call with this header is refused unless the person that it names is signed in: of a page, whose it is. */
export const PERSON_HEADER = 'keyferry-person'

const AuthMode = z.enum(AUTH_MODES).meta({ id: 'AuthMode' })

/** `setup_required`: true if the first account does not exist yet. `passkey_origin`: the origin where sign-in with a
 * passkey works. */
export const SessionState = object('SessionState', {
  auth_mode: AuthMode,
  signed_in: z.boolean(),
  setup_required: z.boolean().optional(),
  passkey_origin: z.string().optional(),
})

/** `redirect_to`: where the browser goes next, a path of ours or the identity provider's sign-out page.
 * `remembered_ended`: how many remembered approvals ended with all sessions. */
export const SignedOut = object('SignedOut', {
  ok: z.literal(true),
  redirect_to: z.string(),
  remembered_ended: z.number().optional(),
})

/** `id` identifies the session in lists; it cannot be used to sign in. */
export const SessionList = listOf('Session', {
  id: z.string(),
  user_agent: z.string(),
  created_at: Timestamp,
  last_seen_at: Timestamp,
  current: z.boolean(),
})
