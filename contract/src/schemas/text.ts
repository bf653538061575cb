import { z } from 'zod'
import { valueProblem } from '../env/values.ts'
import { LIMITS } from '../limits.ts'

/** ISO 8601 in UTC with milliseconds, for example 2026-01-31T12:00:00.000Z. */
export const Timestamp = z.iso.datetime().meta({ id: 'Timestamp', examples: ['2026-01-31T12:00:00.000Z'] })

export const Id = z.uuid().meta({ id: 'Id', examples: ['0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10'] })

export const Named = z.object({ id: Id, name: z.string() })

/** Who did something. `name` is null where it is not known. */
export const Actor = object('Actor', { kind: z.enum(['user']), id: Id, name: z.string().nullable() })

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

/** A whole number within bounds; `error` is the message for anything else. */
export function wholeNumber(error: string, least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return z.int({ error }).min(least, error).max(most, error)
}

export const Position = wholeNumber('order must be a whole number from 0', 0)

/** `missing` is the interface's message for an absent value; an empty string is a value. */
export function environmentValue(missing: string) {
  return z.string({ error: missing }).superRefine((value, context) => {
    const problem = valueProblem(value)
    if (problem !== null) context.addIssue({ code: 'custom', message: `value ${problem}` })
  })
}

/** Only the answer `{ok: true}`. */
export const Ok = object('Ok', { ok: z.literal(true) })

export const OkMessage = object('OkMessage', { ok: z.literal(true), message: z.string() })

/** `stricter`: names of secrets for which another bundle demands more of an approval than this one. A machine that may
 * use this one gets them without an approval. Empty where no machine may. */
export const Stricter = { stricter: z.array(z.string()) }

export const ErrorBody = object(
  'Error',
  {
    error: z.string(),
    code: z.string(),
    details: z.record(z.string(), z.unknown()).optional(),
  },
  { error: 'bundle not found', code: 'not_found' },
)

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

/** Asks for fields that a client of the interface does not know. */
export const Facts = z.enum(['0', '1'], { error: 'facts must be 0 or 1' }).optional()

/** An object that the API page and the OpenAPI document name.
 * @param example shown in place of one that has only the required fields */
export function object<const Shape extends z.ZodRawShape>(id: string, shape: Shape, example?: object) {
  return z.object(shape).meta(example === undefined ? { id } : { id, examples: [example] })
}

/** As `object`, where every field may be absent. */
export function partial<const Shape extends z.ZodRawShape>(id: string, shape: Shape, example: object) {
  return z
    .object(shape)
    .partial()
    .meta({ id, examples: [example] })
}

/** Fields as the caller read them. If one of them is different now, nothing happens: 409 `changed`. */
export function expectedOf<const Shape extends z.ZodRawShape>(shape: Shape) {
  return z.object(shape).partial().optional()
}

/** A change of a record: absent fields stay. */
export function changeOf<const Shape extends z.ZodRawShape>(id: string, shape: Shape, example: object) {
  const fields = z.object(shape).partial()
  return fields.extend({ expected: expectedOf(shape) }).meta({ id, examples: [example] })
}

/** A list of such objects: `HolderList` of `Holder`. */
export function listOf<const Shape extends z.ZodRawShape>(id: string, shape: Shape) {
  return z.array(object(id, shape)).meta({ id: `${id}List` })
}

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
