import { z } from 'zod'
import { object } from './text.ts'

export const Health = object('Health', { status: z.literal('ok'), version: z.string() })

/** `failing` names what is down, for example `database`. `warnings` names what needs an operator while calls are
 * answered, for example `audit backlog`. */
export const Readiness = object('Readiness', {
  status: z.enum(['ok', 'unavailable']),
  failing: z.array(z.string()),
  warnings: z.array(z.string()),
})
