import { CryptoError } from '@keyferry/crypto/crypto-error'
import type { RootKey, RootKeyRing } from '@keyferry/crypto/root-key'
import { createTenantKey, unwrapTenantKey, wrapTenantKey } from '@keyferry/crypto/tenant-key'
import type { Database, Query } from '../base/queries.ts'

const PROOF = 'proof of root key'
const WRONG_KEY = 'ROOT_KEY does not open this database: it was made with another root key'

/** Compare the root keys with those that this database knows, and make the first one known.
 * @throws Error when the database needs a root key that is not among them */
export async function proveRootKeys(database: Database, ring: RootKeyRing, now: string): Promise<void> {
  await database.query.transaction().execute(async (transaction) => {
    await database.lockMigrations(transaction)
    const known = await transaction.selectFrom('root_keys').selectAll().execute()
    if (!proofsOpen(known, ring)) throw new Error(WRONG_KEY)
    await requireWrappers(transaction, ring)
    if (!known.some(({ id }) => id === ring.first.id)) await remember(transaction, ring.first, now)
  })
}

async function remember(transaction: Query, rootKey: RootKey, now: string): Promise<void> {
  const proof = wrapTenantKey(createTenantKey(), rootKey, PROOF)
  await transaction.insertInto('root_keys').values({ id: rootKey.id, proof, created_at: now }).execute()
}

/** Whether the ring has every root key that these proofs are of. */
export function proofsOpen(proofs: readonly { proof: Uint8Array }[], ring: RootKeyRing): boolean {
  return proofs.every(({ proof }) => opens(proof, ring))
}

function opens(proof: Uint8Array, ring: RootKeyRing): boolean {
  try {
    unwrapTenantKey(proof, ring, PROOF)
    return true
  } catch (error) {
    if (error instanceof CryptoError) return false
    throw error
  }
}

// A node that still had the old key in front may have wrapped a tenant's key after a rotation ended.
async function requireWrappers(transaction: Query, ring: RootKeyRing): Promise<void> {
  const foreign = await transaction
    .selectFrom('tenants')
    .select('root_key_id')
    .where('root_key_id', 'not in', ring.ids)
    .limit(1)
    .executeTakeFirst()
  if (foreign) throw new Error(WRONG_KEY)
}
