import { type Bounds, tooManyWorkspaces } from '../../domain/base/bounds.ts'
import { madeBy, ofTenant } from '../../domain/base/event.ts'
import type { Moment } from '../../domain/base/stamp.ts'
import type { NewUser, NewWorkspace, ProvisioningMoment, UserStore } from '../../domain/people/user.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { changing, hasChanged } from '../base/statements.ts'
import { countOf, isFound } from '../base/tenant-rows.ts'
import type { TenantKeys } from '../keys-at-rest/tenant-keys.ts'
import { personOf } from './person-identities.ts'
import { addressColumns, findHome, recordSignOut, signedIn } from './user-events.ts'

export function createUserStore(
  queries: Queries,
  { tenantKeys, bounds }: { tenantKeys: TenantKeys; bounds: Bounds },
): UserStore {
  const { query, write } = queries
  return {
    recordSignIn: changing(queries, recordSignIn),
    recordSignOut: changing(queries, recordSignOut),
    isUsed: () => isFound(query.selectFrom('users')),
    takenUsernames: (names) => takenUsernames(query, names),
    insertWithWorkspace: (user, workspace, moment) =>
      write((transaction) => insertWithWorkspace(transaction, user, { tenantKeys, workspace, moment })),
    insert: (user, moment) => insertUser(query, user, moment),
    findHome: (userId) => findHome(query, userId),
    insertWorkspace: (userId, workspace, moment) =>
      write((transaction) => insertWorkspace(transaction, { tenantKeys, userId, workspace, moment })),
    createWorkspace: (userId, workspace, moment) =>
      write(async (transaction) => {
        await lockUser(transaction, userId)
        const created = await countOf(transaction.selectFrom('tenants').where('owner_id', '=', userId))
        if (created >= bounds.workspacesPerPerson) throw tooManyWorkspaces(bounds)
        await insertWorkspace(transaction, { tenantKeys, userId, workspace, moment })
      }),
  }
}

// Otherwise two calls at once could both find room for one more.
async function lockUser(transaction: Query, userId: string): Promise<void> {
  await transaction
    .updateTable('users')
    .set((column) => ({ updated_at: column.ref('updated_at') }))
    .where('id', '=', userId)
    .execute()
}

// The sign-in is recorded in the audit log of the workspace that the user starts in.
async function recordSignIn(
  transaction: Recorded,
  idpUserId: string,
  { unsigned, ...moment }: ProvisioningMoment,
) {
  const id = await personOf(transaction, idpUserId)
  if (id === null) return null
  const row = await transaction
    .updateTable('users')
    .set({ last_login: moment.at, updated_at: moment.at })
    .where('id', '=', id)
    .returning(['id', 'username', 'is_active', 'epoch'])
    .executeTakeFirst()
  if (!row) return null
  const home = row.is_active === 1 && unsigned !== true ? await findHome(transaction, row.id) : null
  if (home !== null) transaction.record(signedIn(home.tenant_id, row.id, moment))
  return { ...row, is_active: row.is_active === 1, epoch: row.epoch ?? 0 }
}

async function takenUsernames(query: Query, names: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await query.selectFrom('users').select('username').where('username', 'in', names).execute()
  return new Set(rows.map(({ username }) => username))
}

type WorkspaceParts = { tenantKeys: TenantKeys; workspace: NewWorkspace; moment: Moment }

type FirstVisit = WorkspaceParts & { moment: ProvisioningMoment }

/** Add a user who signs in for the first time, with a workspace.
 * @returns false when the id or the name is taken; then nothing is added */
export async function insertWithWorkspace(
  transaction: Recorded,
  user: NewUser,
  { moment: { unsigned, ...moment }, ...made }: FirstVisit,
): Promise<boolean> {
  if (!(await insertUser(transaction, user, moment))) return false
  await insertWorkspace(transaction, { ...made, moment, userId: user.id })
  if (unsigned !== true) transaction.record(signedIn(made.workspace.id, user.id, moment))
  return true
}

function insertUser(query: Query, user: NewUser, { at: now }: Moment): Promise<boolean> {
  const insertion = query.insertInto('users').values({
    ...user,
    ...addressColumns(user.email, user.email_verified, user.password_hash !== null),
    is_active: 1,
    must_change_password: 0,
    passkey_after_password: 0,
    last_login: now,
    created_at: now,
    updated_at: now,
  })
  return hasChanged(insertion.onConflict((conflict) => conflict.doNothing()))
}

/** Its log begins with this event. */
async function insertWorkspace(
  transaction: Recorded,
  { tenantKeys, userId, workspace, moment }: WorkspaceParts & { userId: string },
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
  const origin = { ...moment.origin, workspace: name }
  const made = madeBy({ tenantId: id, by: userId, ...moment, origin })
  transaction.record({ ...made, action: 'audit.started', target: ofTenant(id) })
}
