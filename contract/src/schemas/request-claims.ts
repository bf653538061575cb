import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { storable } from './text.ts'

/** What a client may say of itself; other names are ignored. */
export const CLAIMS = [
  'hostname',
  'os',
  'user',
  'client_version',
  'cwd',
  'command',
  'via',
  'agent',
  'reason',
] as const

const claimOf = (name: string, length: number) =>
  storable(
    z
      .string({ error: `${name} must be strings` })
      .max(length, `${name} must be at most ${length} characters`)
      .regex(/^\P{Cc}*$/u, `${name} must not hold control characters`),
    name,
  )

const claim = claimOf('meta values', LIMITS.metaValueLength)

/** What the client says about itself: unverified, and shown as reported by the terminal. */
export const ClaimedMeta = z
  .object(
    {
      hostname: claim.optional(),
      os: claim.optional(),
      user: claim.optional(),
      client_version: claim.optional(),
      cwd: claim.optional(),
      command: claim.optional(),
      via: claim.optional(),
      /** The AI agent that started the client, as the client recognises it. */
      agent: claim.optional(),
      /** Why the agent asks, in its own words. */
      reason: claimOf('meta.reason', LIMITS.reasonLength).optional(),
    } satisfies Record<(typeof CLAIMS)[number], unknown>,
    { error: 'meta must be an object of strings' },
  )
  .meta({ id: 'ClaimedMeta', examples: [{ hostname: 'laptop', user: 'sam', command: 'npm run dev' }] })

const ARGV = `argv must be at most ${LIMITS.argvItems} texts of ${LIMITS.argvBytes} bytes together`

/** The command as it will be started. It may hold line breaks and other control characters: escape them when you show
 * it. */
export const Argv = z
  .array(storable(z.string({ error: ARGV }), 'argv'), { error: ARGV })
  .min(1, 'argv must not be empty')
  .max(LIMITS.argvItems, ARGV)
  .refine((argv) => byteLength(argv) <= LIMITS.argvBytes, ARGV)

const utf8 = new TextEncoder()

function byteLength(texts: readonly string[]): number {
  return texts.reduce((bytes, text) => bytes + utf8.encode(text).length, 0)
}
