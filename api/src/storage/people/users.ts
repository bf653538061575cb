import { type Bounds, tooManyWorkspaces } from '../../domain/base/bounds.ts'
import { emailKey } from '../../domain/base/email.ts'
import { madeBy } from '../../domain/base/event.ts'
import type { Moment } from '../../domain/base/stamp.ts'
import type { NewUser, NewWorkspace, UserStore } from '../../domain/people/user.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { countOf } from '../base/tenant-rows.ts'
import type { TenantKeys } from '../keys-at-rest/tenant-keys.ts'
import { changeProvided, findHome, recordSignOut, signedIn } from './user-events.ts'

export function createUserStore(
  { query, write }: Queries,
  { tenantKeys, bounds }: { tenantKeys: TenantKeys; bounds: Bounds },
): UserStore {
  return {
    recordSignIn: (idpUserId, moment) => write((transaction) => recordSignIn(transaction, idpUserId, moment)),
    recordSignOut: (idpUserId, { reason }, moment) =>
      write((transaction) => recordSignOut(transaction, { idpUserId, reason, moment })),
    takenUsernames: (names) => takenUsernames(query, names),
    insertWithWorkspace: (user, workspace, moment) =>
      write(async (transaction) => {
        const isNew = await insertUser(transaction, user, moment.at)
        if (!isNew) return false
        const made = { tenantKeys, userId: user.id, workspace, moment }
        await insertWorkspace(transaction, made)
        transaction.record(signedIn(workspace.id, user.id, moment))
        return true
      }),
    change: (idpUserId, change, moment) =>
      write((transaction) => changeProvided(transaction, { idpUserId, change, moment })),
    findHome: (userId) => findHome(query, userId),
    insertWorkspace: (userId, workspace, moment) =>
      write((transaction) => insertWorkspace(transaction, { tenantKeys, userId, workspace, moment })),
    createWorkspace: (userId, workspace, moment) =>
      write(async (transaction) => {
        await holdUser(transaction, userId)
        if ((await countCreated(transaction, userId)) >= bounds.workspacesPerPerson)
          throw tooManyWorkspaces(bounds)
        await insertWorkspace(transaction, { tenantKeys, userId, workspace, moment })
      }),
  }
}

// Otherwise two calls at once could both find room for one more.
async function holdUser(transaction: Query, userId: string): Promise<void> {
  await transaction
    .updateTable('users')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', '=', userId)
    .execute()
}

async function countCreated(transaction: Query, userId: string): Promise<number> {
  const total = await countOf(transaction.selectFrom('tenants').where('owner_id', '=', userId))
  return total
}

// The sign-in is recorded in the audit log of the workspace that the user starts in.
async function recordSignIn(transaction: Recorded, idpUserId: string, moment: Moment) {
  const row = await transaction
    .updateTable('users')
    .set({ last_login: moment.at, updated_at: moment.at })
    .where('idp_user_id', '=', idpUserId)
    .returning(['id', 'username', 'is_active'])
    .executeTakeFirst()
  if (!row) return null
  const home = row.is_active === 1 ? await findHome(transaction, row.id) : null
  if (home !== null) transaction.record(signedIn(home, row.id, moment))
  return { ...row, is_active: row.is_active === 1 }
}

async function takenUsernames(query: Query, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await query.selectFrom('users').select('username').where('username', 'in', names).execute()
  return new Set(rows.map(({ username }) => username))
}

export async function insertUser(transaction: Query, user: NewUser, now: string): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('users')
    .values({
      ...user,
      email_key: emailKey(user.email),
      email_verified: user.email_verified ? 1 : 0,
      is_active: 1,
      must_change_password: 0,
      passkey_after_password: 0,
      last_login: now,
      created_at: now,
      updated_at: now,
    })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirstOrThrow()
  return numInsertedOrUpdatedRows === 1n
}

type WorkspaceOf = { tenantKeys: TenantKeys; userId: string; workspace: NewWorkspace; moment: Moment }

/** Its log begins with this event. */
export async function insertWorkspace(
  transaction: Recorded,
  { tenantKeys, userId, workspace, moment }: WorkspaceOf,
): Promise<void> {
  const { id, name, membershipId } = workspace
  await transaction
    .insertInto('tenants')
    .values({
      id,
      name,
      owner_id: userId,
      ...tenantKeys.createFor(id),
      created_at: moment.at,
      updated_at: moment.at,
    })
    .execute()
  await transaction
    .insertInto('memberships')
    .values({ id: membershipId, user_id: userId, tenant_id: id, role: 'owner', created_at: moment.at })
    .execute()
  const target = { kind: 'tenant', id, name } as const
  const stamp = { by: userId, ...moment }
  transaction.record({ tenantId: id, action: 'audit.started', target, ...madeBy(stamp) })
}

/** A tenant that the user owns, the personal one before others. */
