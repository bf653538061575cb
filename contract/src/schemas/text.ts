import { z } from 'zod'
import { valueProblem } from '../env/values.ts'
import { LIMITS } from '../limits.ts'

/** ISO 8601 in UTC with milliseconds, for example 2026-01-31T12:00:00.000Z. */
export const Timestamp = z.iso.datetime().meta({ id: 'Timestamp', examples: ['2026-01-31T12:00:00.000Z'] })

export const Id = z.uuid().meta({ id: 'Id', examples: ['0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10'] })

/** Who did something. `name` is null where it is not known. */
export const Actor = z
  .object({ kind: z.enum(['user']), id: Id, name: z.string().nullable() })
  .meta({ id: 'Actor' })

/** Text that both databases keep as it is: without NUL, and well-formed. */
export function storable<T extends z.ZodString>(text: T, field: string) {
  return text
    .refine((value) => !value.includes('\0'), `${field} must not contain NUL`)
    .refine((value) => value.isWellFormed(), `${field} must be well-formed Unicode (it has a lone surrogate)`)
}

/** An id or name in a path: an unknown one is not found. */
export const PathPart = (field: string) => storable(z.string(), field)

/** A required text of 1 to `max` characters; `missing` is the interface's message for an absent or empty one. */
export function requiredText(field: string, max: number, missing: string) {
  const text = z
    .string({ error: missing })
    .min(1, missing)
    .max(max, `${field} must be at most ${max} characters`)
  return storable(text, field)
}

export function optionalText(field: string, max: number) {
  const text = z
    .string({ error: `${field} must be a string` })
    .max(max, `${field} must be at most ${max} characters`)
  return storable(text, field)
}

export const Flag = (field: string) => z.boolean({ error: `${field} must be true or false` })

/** Addresses or networks that calls must come from. */
export const NetworkList = z
  .array(z.string({ error: 'networks must be texts' }), { error: 'networks must be a list' })
  .max(LIMITS.tokenNetworks, `networks must be at most ${LIMITS.tokenNetworks}`)

export const Position = z
  .int({ error: 'order must be a whole number from 0' })
  .min(0, 'order must be a whole number from 0')

/** `missing` is the interface's message for an absent value; an empty string is a value. */
export function environmentValue(missing: string) {
  return z.string({ error: missing }).superRefine((value, context) => {
    const problem = valueProblem(value)
    if (problem !== null) context.addIssue({ code: 'custom', message: `value ${problem}` })
  })
}

/** Only the answer `{ok: true}`. */
export const Ok = z.object({ ok: z.literal(true) }).meta({ id: 'Ok', examples: [{ ok: true }] })

export const OkMessage = z
  .object({ ok: z.literal(true), message: z.string() })
  .meta({ id: 'OkMessage', examples: [{ ok: true, message: 'done' }] })

/** `stricter`: names of secrets for which another bundle demands more of an approval than this one. A machine that may
 * use this one gets them without an approval. Empty where no machine may. */
export const Stricter = { stricter: z.array(z.string()) }

export const ErrorBody = z
  .object({
    error: z.string(),
    code: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  })
  .meta({ id: 'Error', examples: [{ error: 'bundle not found', code: 'not_found' }] })

/** `limit` and `offset`; without them a list is whole. */
export const Page = z.object({
  limit: z.coerce
    .number()
    .int('limit must be a whole number')
    .min(1, 'limit must be at least 1')
    .max(LIMITS.pageSize, `limit must be at most ${LIMITS.pageSize}`)
    .optional(),
  offset: z.coerce
    .number()
    .int('offset must be a whole number')
    .min(0, 'offset must be at least 0')
    .optional(),
})

export const Reveal = z.enum(['0', '1'], { error: 'reveal must be 0 or 1' }).optional()
