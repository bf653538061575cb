import { Plaintext } from '@keyferry/crypto/plaintext'
import { BLOB_OVERHEAD_BYTES } from '@keyferry/crypto/value-cipher'
import { sql } from 'kysely'
import { z } from 'zod'
import { madeBy, madeByServer } from '../../domain/base/event.ts'
import type { Stamp } from '../../domain/base/stamp.ts'
import type { ImportChange } from '../../domain/transfer/library-import.ts'
import {
  type KnownProposal,
  type NewProposal,
  namesOf,
  type Proposal,
  type ProposalStore,
  replacedBy,
} from '../../domain/transfer/proposal.ts'
import type { Queries, Query, Recorded } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { isFound, selectOf } from '../base/tenant-rows.ts'
import { Overtaken } from '../keys/library-changes.ts'
import { boundProposal } from '../keys-at-rest/proposal-values.ts'
import type { ReadingVault, TenantVault, ValueVault } from '../keys-at-rest/value-vault.ts'
import { dataOf, endProposals, proposalEvent } from '../people/proposal-ends.ts'

const Names = z.array(z.string())
const Entries = z.array(z.object({ name: z.string(), is_secret: z.boolean() }))
const Sender = z.object({ hostname: z.string(), user: z.string(), program: z.string(), ip: z.string() })

const LISTED = 500

export function createProposalStore({ query, write }: Queries, vault: ValueVault): ProposalStore {
  return {
    known: (tenantId) => known(query, tenantId),
    list: (tenantId, proposerId) => list(query, tenantId, proposerId),
    open: async (tenantId, id) => open(query, await vault.of(tenantId), { tenantId, id }),
    end: ({ id, proposerId, state }, stamp) =>
      write(async (transaction) => {
        const whose = proposerId === null ? {} : { userId: proposerId }
        const which = { tenantId: stamp.tenantId, ids: [id], ...whose }
        return (await endProposals(transaction, which, { state, ...madeBy(stamp) })) > 0
      }),
    async expire({ now, forgetBefore }) {
      await query.deleteFrom('proposals').where('ended_at', '<', forgetBefore).execute()
      const overdue = query.selectFrom('proposals').where('state', '=', 'open').where('expires_at', '<=', now)
      if (!(await isFound(overdue))) return
      await write((transaction) =>
        endProposals(transaction, { overdueAt: now }, { state: 'expired', ...madeByServer(now) }),
      )
    },
  }
}

type StampedProposal = NewProposal & { stamp: Stamp }

/** Keep a proposal in a transaction that has locked the tenant. */
export async function keepProposal(
  transaction: Recorded,
  vault: TenantVault,
  proposal: StampedProposal,
): Promise<void> {
  const { stamp } = proposal
  const { tenantId } = stamp
  const ids = replacedBy(await known(transaction, tenantId), { ...proposal, proposerId: stamp.by })
  if (ids.length > 0) {
    const end = { state: 'withdrawn', reason: 'replaced', ...madeBy(stamp) } as const
    await endProposals(transaction, { tenantId, ids }, end)
  }
  const row = rowOf(proposal)
  const { value } = vault.encrypt(Plaintext.of(JSON.stringify(proposal.values)), boundProposal(row))
  await transaction
    .insertInto('proposals')
    .values({ ...row, value })
    .execute()
  const { bundleId, bundleName: name, detach } = proposal
  const data = {
    ...dataOf(row),
    names: namesOf(proposal),
    ...(detach.length === 0 ? {} : { removed: detach.length }),
    ...(bundleId === null ? {} : { bundle: { id: bundleId, name } }),
  }
  transaction.record({ ...madeBy(stamp), ...proposalEvent(row), action: 'proposal.created', data })
}

function rowOf({ id, bundleId, bundleName, entries, detach, sender, until, stamp }: StampedProposal) {
  return {
    tenant_id: stamp.tenantId,
    id,
    state: 'open',
    user_id: stamp.by,
    bundle_id: bundleId,
    bundle_name: bundleName,
    entries: JSON.stringify(entries),
    detach: JSON.stringify(detach),
    sender: JSON.stringify(sender),
    created_at: stamp.at,
    expires_at: until,
    ended_at: null,
  } as const
}

async function known(query: Query, tenantId: string): Promise<KnownProposal[]> {
  const rows = await selectOf(query, 'proposals', { tenantId, state: 'open' })
    .select(['id', 'user_id as proposerId', 'bundle_name as bundleName', 'entries', 'detach'])
    .select(sql<number>`length(value) - ${sql.lit(BLOB_OVERHEAD_BYTES)}`.as('bytes'))
    .execute()
  return rows.map(({ entries, detach, ...row }) => ({
    ...row,
    names: namesOf(contentIn({ entries, detach })),
  }))
}

function contentIn({ entries, detach }: { entries: string; detach: string }) {
  return { entries: Entries.parse(JSON.parse(entries)), detach: Names.parse(JSON.parse(detach)) }
}

async function list(query: Query, tenantId: string, proposerId: string | null): Promise<Proposal[]> {
  const whose = proposerId === null ? tenantId : { tenantId, user_id: proposerId }
  const rows = await selectOf(query, 'proposals', whose)
    .leftJoin('users', 'users.id', 'proposals.user_id')
    .select(['proposals.id', 'state', 'user_id', 'username', 'bundle_id', 'bundle_name', 'entries', 'detach'])
    .select(['sender', 'proposals.created_at', 'expires_at', 'ended_at'])
    .orderBy('proposals.created_at', 'desc')
    .orderBy('proposals.id', 'desc')
    .limit(LISTED)
    .execute()
  return rows.map(({ user_id, username, bundle_id, bundle_name, entries, detach, sender, ...row }) => ({
    ...row,
    bundle: { id: bundle_id, name: bundle_name },
    proposer: { kind: 'user', id: user_id, name: username },
    ...contentIn({ entries, detach }),
    sender: sender === null ? null : Sender.parse(JSON.parse(sender)),
  }))
}

async function open(query: Query, vault: ReadingVault, { tenantId, id }: { tenantId: string; id: string }) {
  const row = await selectOf(query, 'proposals', { tenantId, id, state: 'open' })
    .leftJoin('bundles', (join) => join.on(inOneTenant('bundles.id', 'proposals.bundle_id')))
    .selectAll('proposals')
    .select('bundles.name as name_now')
    .executeTakeFirst()
  if (!row) return null
  const values = vault.open({ ...boundProposal(row), value: row.value })
  return {
    bundleId: row.bundle_id,
    bundleName: row.bundle_id === null ? row.bundle_name : row.name_now,
    proposerId: row.user_id,
    createdAt: row.created_at,
    ...contentIn(row),
    values: values === null ? [] : Names.parse(JSON.parse(values.reveal())),
  }
}

type StoredProposal = Pick<ImportChange, 'proposal' | 'stamp'> & { tenantId: string }

/** End the proposal whose values this transaction stores.
 * @throws Overtaken: it has ended */
export async function endStored(
  transaction: Recorded,
  { tenantId, proposal, stamp }: StoredProposal,
): Promise<void> {
  if (proposal === null) return
  const which = { tenantId, ids: [proposal.id], userId: proposal.proposerId }
  const ended = await endProposals(transaction, which, { state: 'stored', ...madeBy(stamp) })
  if (ended === 0) throw new Overtaken()
}
