import { printable } from './printable.ts'

/** Reads one value that came from elsewhere.
 * @throws Mismatch it is something else */
export type Shape<T> = (value: unknown) => T

class Mismatch extends Error {}

/** Read a value.
 * @param refusal the error if the value has another shape */
export function read<T>(value: unknown, shape: Shape<T>, refusal: () => Error): T {
  try {
    return shape(value)
  } catch (error) {
    throw error instanceof Mismatch ? refusal() : error
  }
}

/** What passes a check. */
export function where<T>(fits: (value: unknown) => value is T): Shape<T> {
  return (value) => {
    if (fits(value)) return value
    throw new Mismatch()
  }
}

export const string = where((value): value is string => typeof value === 'string')
export const number = where((value): value is number => typeof value === 'number')
const finite = where((value): value is number => typeof value === 'number' && Number.isFinite(value))
/** A time, in milliseconds since 1970. */
export const time: Shape<number> = (value) => finite(Date.parse(string(value)))
export const truth = where((value): value is boolean => typeof value === 'boolean')

export function matching(pattern: RegExp): Shape<string> {
  return where((value): value is string => typeof value === 'string' && pattern.test(value))
}

export function oneOf<T extends string>(...words: readonly T[]): Shape<T> {
  return where((value): value is T => words.some((word) => word === value))
}

/** A text that is safe to print, of at most so many characters. */
export function shown(maxLength: number): Shape<string> {
  return (value) => printable(string(value), maxLength)
}

export function list<T>(item: Shape<T>): Shape<readonly T[]> {
  const items = where((value): value is unknown[] => Array.isArray(value))
  return (value) => items(value).map((each) => item(each))
}

type ShapeFields = Readonly<Record<string, Shape<unknown>>>

/** An object with these fields; it may have others. The field `keyCount` is read from `key_count`. */
export function object<F extends ShapeFields>(
  fields: F,
): Shape<{ readonly [K in keyof F]: ReturnType<F[K]> }> {
  const objects = where(isObject)
  const wanted = Object.entries(fields).map(([name, shape]) => ({ name, shape, from: inSnakeCase(name) }))
  return (value) => {
    const found = objects(value)
    const entries = wanted.map(({ name, shape, from }) => [name, shape(found[from])])
    return Object.fromEntries(entries) as { readonly [K in keyof F]: ReturnType<F[K]> }
  }
}

function inSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

/** One field of an object, without the object. */
export function field<T>(name: string, shape: Shape<T>): Shape<T> {
  const objects = where(isObject)
  return (value) => shape(objects(value)[name])
}

export function nullable<T>(shape: Shape<T>): Shape<T | null> {
  return (value) => (value === null ? null : shape(value))
}

/** The shape, or `otherwise` where there is nothing. */
export function optional<T, D>(shape: Shape<T>, otherwise: D): Shape<T | D> {
  return (value) => (value === undefined ? otherwise : shape(value))
}

/** The shape, or `otherwise` for anything else. */
export function or<T, D>(shape: Shape<T>, otherwise: D): Shape<T | D> {
  return (value) => {
    try {
      return shape(value)
    } catch (error) {
      if (error instanceof Mismatch) return otherwise
      throw error
    }
  }
}

export function orNull<T>(shape: Shape<T>): Shape<T | null> {
  return or(shape, null)
}

/** The shape with an error of its own. */
export function refusing<T>(shape: Shape<T>, refusal: () => Error): Shape<T> {
  return (value) => read(value, shape, refusal)
}

/** The object in a JSON text; null if there is none. */
export function parseObject(text: string): Record<string, unknown> | null {
  const value = parseJson(text)
  return isObject(value) ? value : null
}

/** What a JSON text says; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
