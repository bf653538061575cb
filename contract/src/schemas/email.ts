import { z } from 'zod'
import { LIMITS } from '../limits.ts'

// Letters, marks and digits of every script (RFC 6531); no quotes, blanks, control or bidirectional characters.
const ATOM = String.raw`[\p{L}\p{M}\p{N}!#$%&'*+/=?^_\x60{|}~\-]+`
const LABEL = String.raw`[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}\-]*[\p{L}\p{M}\p{N}])?`
const TOP_LEVEL = String.raw`(?:[\p{L}\p{M}]{2,}|[xX][nN]--[A-Za-z0-9\-]*[A-Za-z0-9])`
const ADDRESS = new RegExp(String.raw`^${ATOM}(?:\.${ATOM})*@(?:${LABEL}\.)+${TOP_LEVEL}$`, 'u')

/** An e-mail address that another server can reach: a mailbox and a domain with at least one dot. */
export const Email = z
  .string({ error: 'email required' })
  .max(LIMITS.emailLength, {
    error: `email must be at most ${LIMITS.emailLength} characters`,
    abort: true,
  })
  .regex(ADDRESS, 'Invalid email format')
  .meta({ id: 'Email', format: 'idn-email', examples: ['sam@example.com'] })
