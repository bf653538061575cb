import { z } from 'zod'
import { AUTH_MODES } from '../endpoint.ts'
import { Timestamp } from './text.ts'

const AuthMode = z.enum(AUTH_MODES).meta({ id: 'AuthMode' })

/** `setup_required`: the first account does not exist yet. `passkey_origin`: the origin where passkeys work; null:
 * they do not work on this server. */
export const SessionState = z
  .object({
    auth_mode: AuthMode,
    signed_in: z.boolean(),
    setup_required: z.boolean(),
    passkey_origin: z.string().nullable(),
  })
  .meta({
    id: 'SessionState',
    examples: [
      {
        auth_mode: 'accounts',
        signed_in: true,
        setup_required: false,
        passkey_origin: 'https://keyferry.example.com',
      },
    ],
  })

/** `redirect_to`: where the browser goes next, a path of ours or the identity provider's sign-out page. */
export const SignedOut = z
  .object({ ok: z.literal(true), redirect_to: z.string() })
  .meta({ id: 'SignedOut', examples: [{ ok: true, redirect_to: '/' }] })

/** `id` identifies the session in lists; it cannot be used to sign in. */
export const SessionList = z
  .array(
    z
      .object({
        id: z.string(),
        user_agent: z.string(),
        created_at: Timestamp,
        last_seen_at: Timestamp,
        current: z.boolean(),
      })
      .meta({ id: 'Session' }),
  )
  .meta({
    id: 'SessionList',
    examples: [
      [
        {
          id: '5f2b1c0de9a84d37',
          user_agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0',
          created_at: '2026-01-31T12:00:00.000Z',
          last_seen_at: '2026-01-31T12:20:00.000Z',
          current: true,
        },
      ],
    ],
  })
