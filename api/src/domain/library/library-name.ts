import { LIMITS } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'

/*
 * A key that only one bundle uses has the bundle's name in its own: `DATABASE_URL` of `prod/app` is
 * `PROD_APP_DATABASE_URL` in the library. Where that name is taken, a number follows: `PROD_APP_DATABASE_URL_2`.
 */

/** What the library names of a bundle's own keys begin with: `prod/app` gives `PROD_APP_`. */
export function libraryPrefix(bundleName: string): string {
  return `${bundleName.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}_`
}

/** A bundle, the name under which it delivers a key, and the field in which a caller can give a library name. */
type NamedFor = { bundleName: string; name: string; field: 'key_name' | 'key_names' }

/** Library names for the key that a bundle delivers as `name`, the best first, without an end: take the first free one.
 * @throws DomainError invalid: the next name is too long (`details.names`: the delivered name) */
export function* libraryNames({ bundleName, name, field }: NamedFor): Generator<string, never> {
  const base = libraryPrefix(bundleName) + name
  for (let number = 1; ; number += 1) {
    const candidate = number === 1 ? base : `${base}_${number}`
    if (candidate.length > LIMITS.nameLength) throw tooLong(candidate, { name, field })
    yield candidate
  }
}

/** The first of those names that is free.
 * @throws DomainError invalid: it is too long */
export function libraryName(
  { bundleName, name }: { bundleName: string; name: string },
  isTaken: (libraryName: string) => boolean,
): string {
  const names = libraryNames({ bundleName, name, field: 'key_names' })
  let { value: free } = names.next()
  while (isTaken(free)) free = names.next().value
  return free
}

function tooLong(candidate: string, { name, field }: Pick<NamedFor, 'name' | 'field'>): DomainError {
  const message = `the library name ${candidate} has more than ${LIMITS.nameLength} characters: choose a shorter one for ${name} with ${field}`
  return new DomainError('invalid', message, { details: { names: [name] } })
}
