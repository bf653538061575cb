import { z } from 'zod'

export const Health = z
  .object({ status: z.literal('ok'), version: z.string() })
  .meta({ id: 'Health', examples: [{ status: 'ok', version: '0.1.0' }] })

/** `failing` names what is down, for example `database`. */
export const Readiness = z
  .object({ status: z.enum(['ok', 'unavailable']), failing: z.array(z.string()) })
  .meta({ id: 'Readiness', examples: [{ status: 'ok', failing: [] }] })
