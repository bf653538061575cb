import type { z } from 'zod'
import { DomainError } from '../domain/base/errors.ts'

const JSON_DEPTH = 16
const utf8 = new TextDecoder('utf-8', { fatal: true })

/** Read a JSON body: an object, or a list where the endpoint takes one.
 * @throws DomainError invalid: not UTF-8, not JSON, not an object, nested too deeply, or with the name `__proto__` */
export function parseJson(body: Buffer, kind: 'object' | 'list' = 'object'): unknown {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(body))
  } catch (cause) {
    throw new DomainError('invalid', 'request body must be JSON', { cause })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== (kind === 'list'))
    throw new DomainError('invalid', `request body must be a JSON ${kind}`)
  requireTame(value, JSON_DEPTH)
  return value
}

/** The part as parsed by its schema.
 * @throws DomainError invalid: the schema's first message; the field is in `details` */
export function validated(schema: z.ZodType | undefined, part: unknown): unknown {
  if (!schema) return undefined
  const result = schema.safeParse(part)
  if (result.success) return result.data
  const [issue] = result.error.issues
  const field = issue?.path.join('.') ?? ''
  throw new DomainError(
    'invalid',
    issue?.message ?? 'invalid request',
    field === '' ? {} : { details: { field } },
  )
}

// A validator that copies objects drops `__proto__` silently, so refuse it.
function requireTame(value: unknown, depth: number): void {
  if (typeof value !== 'object' || value === null) return
  if (depth === 0) throw new DomainError('invalid', `request body is nested deeper than ${JSON_DEPTH}`)
  if (Object.hasOwn(value, '__proto__'))
    throw new DomainError('invalid', 'request body holds the name __proto__')
  for (const inner of Object.values(value)) requireTame(inner, depth - 1)
}
