import { LIMITS } from '@keyferry/contract'
import { sql } from 'kysely'
import { DomainError } from '../../domain/base/errors.ts'
import { type Event, madeBy } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { NewPasskey, Passkey, PasskeyStore, StoredPasskey } from '../../domain/people/passkey.ts'
import { passkeyNotFound, tooManyPasskeys } from '../../domain/people/passkey.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { flag } from '../base/tables.ts'
import { recordOfUser } from './user-events.ts'

export function createPasskeyStore({ query, write }: Queries): PasskeyStore {
  return {
    list: (userId) => of(query, userId).select(SHOWN).orderBy('created_at').orderBy('id').execute(),
    credentialIds: async (userId) => {
      const rows = await of(query, userId).select('credential_id').execute()
      return rows.map(({ credential_id }) => credential_id)
    },
    insert: (passkey, stamp) => write((transaction) => insert(transaction, passkey, stamp)),
    rename: (id, name, stamp) => write((transaction) => rename(transaction, { id, name, stamp })),
    remove: (id, stamp) => write((transaction) => remove(transaction, id, stamp)),
    setAfterPassword: (afterPassword, stamp) =>
      write((transaction) => setAfterPassword(transaction, afterPassword, stamp)),
    find: (credentialId) => find(query, credentialId),
    use: (id, counter, now) => use(query, { id, counter, now }),
  }
}

const SHOWN = ['id', 'name', 'created_at', 'last_used_at'] as const

function of(query: Query, userId: string) {
  return query.selectFrom('passkeys').where('user_id', '=', userId)
}

async function insert(transaction: Recorded, passkey: NewPasskey, stamp: Stamp): Promise<void> {
  await holdAccount(transaction, stamp)
  const { credentialId: credential_id, publicKey: public_key, ...rest } = passkey
  const held = await of(transaction, stamp.by).select('id').execute()
  if (held.length >= LIMITS.passkeys) throw tooManyPasskeys()
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('passkeys')
    .values({
      ...rest,
      credential_id,
      public_key,
      user_id: stamp.by,
      created_at: stamp.at,
      last_used_at: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  if (numInsertedOrUpdatedRows !== 1n) throw new DomainError('conflict', 'this passkey was added already')
  await recordChange(transaction, { action: 'passkey.added', stamp })
}

// Changes of one account's passkeys follow one another, so that none of them counts passkeys that another one removes.
async function holdAccount(transaction: Query, { by, at }: Stamp): Promise<void> {
  await transaction.updateTable('users').set({ updated_at: at }).where('id', '=', by).execute()
}

async function rename(
  transaction: Recorded,
  { id, name, stamp }: { id: string; name: string; stamp: Stamp },
): Promise<Passkey> {
  const row = await transaction
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', stamp.by)
    .returning(SHOWN)
    .executeTakeFirst()
  if (!row) throw passkeyNotFound()
  await recordChange(transaction, { action: 'passkey.renamed', stamp })
  return row
}

async function remove(transaction: Recorded, id: string, stamp: Stamp): Promise<void> {
  await holdAccount(transaction, stamp)
  const { numDeletedRows } = await transaction
    .deleteFrom('passkeys')
    .where('id', '=', id)
    .where('user_id', '=', stamp.by)
    .executeTakeFirstOrThrow()
  if (numDeletedRows !== 1n) throw passkeyNotFound()
  const left = await of(transaction, stamp.by).select('id').executeTakeFirst()
  if (!left) await storeAfterPassword(transaction, false, stamp)
  await recordChange(transaction, { action: 'passkey.removed', stamp })
}

async function setAfterPassword(transaction: Recorded, afterPassword: boolean, stamp: Stamp): Promise<void> {
  await holdAccount(transaction, stamp)
  const has = await of(transaction, stamp.by).select('id').executeTakeFirst()
  if (afterPassword && !has) throw new DomainError('conflict', 'add a passkey first')
  await storeAfterPassword(transaction, afterPassword, stamp)
  const data = { required: afterPassword }
  await recordChange(transaction, { action: 'user.second_factor_changed', data, stamp })
}

async function storeAfterPassword(transaction: Query, afterPassword: boolean, { by }: Stamp): Promise<void> {
  await transaction
    .updateTable('users')
    .set({ passkey_after_password: flag(afterPassword) })
    .where('id', '=', by)
    .execute()
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
async function use(query: Query, { id, counter, now }: { id: string; counter: number; now: string }) {
  const { numUpdatedRows } = await query
    .updateTable('passkeys')
    .set({ counter, last_used_at: now })
    .where('id', '=', id)
    .where((either) =>
      either.or([
        either('counter', '<', counter),
        either.and([either('counter', '=', 0), sql<boolean>`${sql.lit(counter)} = 0`]),
      ]),
    )
    .executeTakeFirstOrThrow()
  return numUpdatedRows === 1n
}

/** Remove every passkey of an account, so that its password alone signs in again. */
export async function removePasskeys(query: Query, userId: string): Promise<void> {
  await query.deleteFrom('passkeys').where('user_id', '=', userId).execute()
  await query.updateTable('users').set({ passkey_after_password: 0 }).where('id', '=', userId).execute()
}

function recordChange(
  transaction: Recorded,
  { stamp, ...change }: Pick<Event, 'action'> & { data?: Event['data']; stamp: Stamp },
): Promise<void> {
  const { action, data } = change
  return recordOfUser(transaction, stamp.by, { action, ...(data && { data }), ...madeBy(stamp) })
}
