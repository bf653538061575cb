import { LIMITS } from '@keyferry/contract'
import { DomainError } from './errors.ts'

/*
 * A key that only one bundle uses has the bundle's name in its own: `DATABASE_URL` of `prod/app` is `PROD_APP_DATABASE_URL`
 * in the library. Where that name is taken, a number follows: `PROD_APP_DATABASE_URL_2`.
 */

/** What the library names of a bundle's own keys begin with: `prod/app` gives `PROD_APP_`. */
export function libraryPrefix(bundleName: string): string {
  return `${bundleName.replace(/[^A-Za-z0-9]+/g, '_').toUpperCase()}_`
}

/** The library name of the key that a bundle delivers as `name`.
 * @throws DomainError invalid: it is too long */
export function libraryName(
  { bundleName, name }: { bundleName: string; name: string },
  isTaken: (libraryName: string) => boolean,
): string {
  const base = libraryPrefix(bundleName) + name
  let free = base
  for (let number = 2; isTaken(free); number += 1) free = `${base}_${number}`
  if (free.length <= LIMITS.nameLength) return free
  const message = `the library name ${free} has more than ${LIMITS.nameLength} characters: choose a shorter one for ${name} with key_names`
  throw new DomainError('invalid', message, { details: { names: [name] } })
}
