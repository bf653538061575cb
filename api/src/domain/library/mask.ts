import { MASK } from '@keyferry/contract'
import { DomainError } from '../base/errors.ts'
import { bundleEntries, type EntryStores } from './bundle-entry.ts'

/*
 * Answers show the mask in place of a secret value. A client that writes the mask back over a secret is writing what it
 * read, which would destroy the secret, so this is refused. Over anything else the mask is an ordinary value.
 */

/** The names of secrets in a bundle, attached or legacy, that `values` would replace by the mask. */
export async function maskedOver(
  stores: EntryStores,
  place: { tenantId: string; bundleId: string },
  values: ReadonlyMap<string, string>,
): Promise<string[]> {
  if (![...values.values()].includes(MASK)) return []
  const entries = await bundleEntries(stores, place, 'none')
  const secrets = entries.filter(({ name, is_secret }) => is_secret && values.get(name) === MASK)
  return secrets.map(({ name }) => name)
}

export function maskOverSecret(name: string): DomainError {
  const details = { names: [name] }
  return new DomainError('invalid', `a masked value cannot replace a secret: ${name}`, { details })
}
