import { type Bounds, tooManyWorkspaces } from '../domain/bounds.ts'
import { emailKey } from '../domain/email.ts'
import { type Event, madeBy } from '../domain/event.ts'
import type {
  KnownUser,
  NewUser,
  NewWorkspace,
  ProvidedChange,
  ProvidedEmail,
  UserStore,
} from '../domain/user.ts'
import type { Queries, Query, Recorded } from './queries.ts'
import type { TenantKeys } from './tenant-keys.ts'

export function createUserStore(
  { query, write, record }: Queries,
  { tenantKeys, bounds }: { tenantKeys: TenantKeys; bounds: Bounds },
): UserStore {
  return {
    recordSignIn: (idpUserId, now) =>
      write((transaction) => recordSignIn({ transaction, record }, idpUserId, now)),
    takenUsernames: (names) => takenUsernames(query, names),
    insertWithWorkspace: (user, workspace, now) =>
      write(async (transaction) => {
        const isNew = await insertUser(transaction, user, now)
        if (!isNew) return false
        const made = { tenantKeys, userId: user.id, workspace, now }
        await insertWorkspace({ transaction, record }, made)
        await record(transaction, signedIn(workspace.id, user.id, now))
        return true
      }),
    change: (idpUserId, change, now) =>
      write((transaction) => applyChange(transaction, { idpUserId, change, now })),
    findHome: (userId) => findHome(query, userId),
    insertWorkspace: (userId, workspace, now) =>
      write((transaction) =>
        insertWorkspace({ transaction, record }, { tenantKeys, userId, workspace, now }),
      ),
    createWorkspace: (userId, workspace, now) =>
      write(async (transaction) => {
        await holdUser(transaction, userId)
        if ((await countCreated(transaction, userId)) >= bounds.workspacesPerPerson)
          throw tooManyWorkspaces(bounds)
        await insertWorkspace({ transaction, record }, { tenantKeys, userId, workspace, now })
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
  const { total } = await transaction
    .selectFrom('tenants')
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .where('owner_id', '=', userId)
    .executeTakeFirstOrThrow()
  return total
}

function signedIn(tenantId: string, userId: string, at: string): Event {
  const target = { kind: 'user', id: userId, name: null } as const
  const by = { by: userId, at, origin: null }
  return { tenantId, action: 'user.signed_in', target, ...madeBy(by) }
}

// The sign-in is recorded in the audit log of the workspace that the user starts in.
async function recordSignIn(
  { transaction, record }: Recorded,
  idpUserId: string,
  now: string,
): Promise<KnownUser | null> {
  const row = await transaction
    .updateTable('users')
    .set({ last_login: now, updated_at: now })
    .where('idp_user_id', '=', idpUserId)
    .returning(['id', 'username', 'is_active'])
    .executeTakeFirst()
  if (!row) return null
  const home = row.is_active === 1 ? await findHome(transaction, row.id) : null
  if (home !== null) await record(transaction, signedIn(home, row.id, now))
  return { ...row, is_active: row.is_active === 1 }
}

type Change = { idpUserId: string; change: ProvidedChange; now: string }

async function applyChange(query: Query, { idpUserId, change, now }: Change): Promise<string | null> {
  const { email, isActive } = change
  const active = isActive === undefined ? {} : { is_active: isActive ? (1 as const) : (0 as const) }
  const row = await query
    .updateTable('users')
    .set({ updated_at: now, ...active })
    .where('idp_user_id', '=', idpUserId)
    .returning('id')
    .executeTakeFirst()
  if (row && email) await applyEmail(query, row.id, email)
  return row?.id ?? null
}

// Events can arrive out of order: what the provider stated last counts.
async function applyEmail(
  query: Query,
  id: string,
  { address, isVerified, asOf }: ProvidedEmail,
): Promise<void> {
  const update = query
    .updateTable('users')
    .set({ email: address, email_key: emailKey(address), email_verified: isVerified ? 1 : 0 })
    .where('id', '=', id)
  if (asOf === null) return void (await update.execute())
  await update
    .set({ email_as_of: asOf })
    .where((either) => either.or([either('email_as_of', 'is', null), either('email_as_of', '<=', asOf)]))
    .execute()
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

type WorkspaceOf = { tenantKeys: TenantKeys; userId: string; workspace: NewWorkspace; now: string }

/** Its log begins with this event. */
export async function insertWorkspace(
  { transaction, record }: Recorded,
  { tenantKeys, userId, workspace, now }: WorkspaceOf,
): Promise<void> {
  const { id, name, membershipId } = workspace
  await transaction
    .insertInto('tenants')
    .values({
      id,
      name,
      owner_id: userId,
      ...tenantKeys.createFor(id),
      created_at: now,
      updated_at: now,
    })
    .execute()
  await transaction
    .insertInto('memberships')
    .values({ id: membershipId, user_id: userId, tenant_id: id, role: 'owner', created_at: now })
    .execute()
  const target = { kind: 'tenant', id, name } as const
  const by = { by: userId, at: now, origin: null }
  await record(transaction, { tenantId: id, action: 'audit.started', target, ...madeBy(by) })
}

/** A tenant that the user owns, the personal one before others. */
export async function findHome(query: Query, userId: string): Promise<string | null> {
  const rows = await query
    .selectFrom('memberships')
    .innerJoin('tenants', 'tenants.id', 'memberships.tenant_id')
    .select(['tenants.id', 'tenants.owner_id'])
    .where('memberships.user_id', '=', userId)
    .where('memberships.role', '=', 'owner')
    .orderBy('memberships.created_at')
    .orderBy('tenants.id')
    .execute()
  return (rows.find(({ owner_id }) => owner_id === userId) ?? rows[0])?.id ?? null
}
