import { MASK } from '@keyferry/contract'
import { bundleEntries, type EntryStores } from './bundle-entry.ts'
import { DomainError } from './errors.ts'

// A secret is read as the mask. Where the mask comes back as its value, somebody writes back what they read, and the
// secret would be lost. Where nothing is hidden it is a value like any other, and for a new key too: nothing is lost,
// and the interface takes any text for a value.

/** The names of a bundle's secrets, attached or legacy, over which `values` would write the mask. */
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
