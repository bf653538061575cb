import { ACCOUNT_LIMITS } from '@keyferry/contract/accounts'
import { DomainError } from '../../domain/base/errors.ts'
import { madeBy } from '../../domain/base/event.ts'
import { requireExpected } from '../../domain/base/expected.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { Queries, Query, Recorded } from '../../storage/base/queries.ts'
import { changing, hasChanged } from '../../storage/base/statements.ts'
import { countOf, isFound } from '../../storage/base/tenant-rows.ts'
import { recordOfUser } from '../../storage/people/user-events.ts'
import type { NewPasskey, PasskeyName, PasskeyStore, StoredPasskey } from '../domain/passkey.ts'
import { passkeyNotFound, tooManyPasskeys } from '../domain/passkey.ts'
import { storeAfterPassword } from './credentials.ts'

export function createPasskeyStore(queries: Queries): PasskeyStore {
  const { query } = queries
  return {
    list: (userId) => of(query, userId).select(SHOWN).orderBy('created_at').orderBy('id').execute(),
    credentialIds: async (userId) => {
      const rows = await of(query, userId).select('credential_id').execute()
      return rows.map(({ credential_id }) => credential_id)
    },
    insert: changing(queries, insert),
    rename: changing(queries, rename),
    remove: changing(queries, remove),
    setAfterPassword: changing(queries, setAfterPassword),
    find: (credentialId) => find(query, credentialId),
    use: (id, counter, now) => use(query, { id, counter, now }),
  }
}

const SHOWN = ['id', 'name', 'created_at', 'last_used_at'] as const

function of(query: Query, userId: string) {
  return query.selectFrom('passkeys').where('user_id', '=', userId)
}

async function insert(transaction: Recorded, passkey: NewPasskey, stamp: Stamp): Promise<void> {
  await lockAccount(transaction, stamp)
  const { credentialId: credential_id, publicKey: public_key, ...rest } = passkey
  if ((await countOf(of(transaction, stamp.by))) >= ACCOUNT_LIMITS.passkeys) throw tooManyPasskeys()
  const made = { user_id: stamp.by, created_at: stamp.at, last_used_at: null }
  const insertion = transaction.insertInto('passkeys').values({ ...rest, credential_id, public_key, ...made })
  if (!(await hasChanged(insertion.onConflict((conflict) => conflict.doNothing()))))
    throw new DomainError('conflict', 'this passkey was added already')
  await recordOfUser(transaction, stamp.by, { action: 'passkey.added', ...madeBy(stamp) })
}

// Changes of one account's passkeys follow one another, so that none of them counts passkeys that another one removes.
async function lockAccount(transaction: Query, { by, at }: Stamp): Promise<void> {
  await transaction.updateTable('users').set({ updated_at: at }).where('id', '=', by).execute()
}

async function rename(transaction: Recorded, { id, name, expected }: PasskeyName, stamp: Stamp) {
  await lockAccount(transaction, stamp)
  const row = await of(transaction, stamp.by).select(SHOWN).where('id', '=', id).executeTakeFirst()
  if (!row) throw passkeyNotFound()
  requireExpected({ name, expected }, { name: row.name })
  await transaction.updateTable('passkeys').set({ name }).where('id', '=', id).execute()
  await recordOfUser(transaction, stamp.by, { action: 'passkey.renamed', ...madeBy(stamp) })
  return { ...row, name }
}

async function remove(transaction: Recorded, id: string, stamp: Stamp): Promise<void> {
  await lockAccount(transaction, stamp)
  const deletion = transaction.deleteFrom('passkeys').where('id', '=', id).where('user_id', '=', stamp.by)
  if (!(await hasChanged(deletion))) throw passkeyNotFound()
  if (!(await isFound(of(transaction, stamp.by)))) await storeAfterPassword(transaction, false, stamp.by)
  await recordOfUser(transaction, stamp.by, { action: 'passkey.removed', ...madeBy(stamp) })
}

async function setAfterPassword(transaction: Recorded, afterPassword: boolean, stamp: Stamp): Promise<void> {
  await lockAccount(transaction, stamp)
  if (afterPassword && !(await isFound(of(transaction, stamp.by))))
    throw new DomainError('conflict', 'add a passkey first')
  await storeAfterPassword(transaction, afterPassword, stamp.by)
  const event = { action: 'user.second_factor_changed', data: { required: afterPassword } } as const
  await recordOfUser(transaction, stamp.by, { ...event, ...madeBy(stamp) })
}

async function find(query: Query, credentialId: string): Promise<StoredPasskey | null> {
  const row = await query
    .selectFrom('passkeys')
    .select(['id', 'user_id', 'credential_id', 'public_key', 'counter'])
    .where('credential_id', '=', credentialId)
    .executeTakeFirst()
  if (!row) return null
  const { id, user_id: userId, public_key: publicKey, counter } = row
  return { id, userId, credentialId: row.credential_id, publicKey, counter }
}

// A passkey that does not count stays at 0. Of two uses with the same count at once, one is refused.
function use(query: Query, { id, counter, now }: { id: string; counter: number; now: string }) {
  const passkey = query.updateTable('passkeys').set({ counter, last_used_at: now }).where('id', '=', id)
  return hasChanged(passkey.where('counter', counter === 0 ? '=' : '<', counter))
}
