import { z } from 'zod'

export const Health = z
  .object({ status: z.literal('ok'), version: z.string() })
  .meta({ id: 'Health', examples: [{ status: 'ok', version: '0.1.0' }] })

/** `failing` names what is down, for example `database`. `warnings` names what needs an operator while calls are
 * answered, for example `audit backlog`. */
export const Readiness = z
  .object({
    status: z.enum(['ok', 'unavailable']),
    failing: z.array(z.string()),
    warnings: z.array(z.string()),
  })
  .meta({ id: 'Readiness', examples: [{ status: 'ok', failing: [], warnings: [] }] })
