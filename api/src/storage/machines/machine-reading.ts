import type { ListPage, WholePage } from '../../domain/base/listing.ts'
import { type Machine, type MachineStore, machineNotFound } from '../../domain/machines/machine.ts'
import type { Query } from '../base/queries.ts'
import { countOf, pageOf, selectOf } from '../base/tenant-rows.ts'
import { networksIn } from './machine-changes.ts'
import { trustIn } from './machine-trusts.ts'

/** Reads machines with their grants and tokens. */
export function machineReader(query: Query): Pick<MachineStore, 'find' | 'list'> {
  return {
    find: async (tenantId, machineId) => {
      const rows = await machines(query, tenantId).where('machines.id', '=', machineId).execute()
      const [machine] = await whole(query, tenantId, rows)
      if (!machine) throw machineNotFound()
      return machine
    },
    list: (tenantId, page) => list(query, tenantId, page),
  }
}

function machines(query: Query, tenantId: string) {
  return selectOf(query, 'machines', tenantId)
    .select([
      'machines.id',
      'machines.name',
      'machines.description',
      'machines.is_active',
      'machines.reads_audit',
    ])
    .select(['machines.created_by', 'machines.created_at', 'machines.updated_at'])
    .select((column) =>
      column
        .selectFrom('deliveries')
        .select(({ fn }) => fn.max('deliveries.created_at').as('last'))
        .where('deliveries.tenant_id', '=', tenantId)
        .whereRef('deliveries.machine_id', '=', 'machines.id')
        .as('last_delivery_at'),
    )
    .select((column) =>
      column
        .selectFrom('machine_attempts')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('machine_attempts.tenant_id', '=', tenantId)
        .whereRef('machine_attempts.machine_id', '=', 'machines.id')
        .as('attempts'),
    )
}

type ReadMachine = Awaited<ReturnType<ReturnType<typeof machines>['execute']>>[number]

async function list(query: Query, tenantId: string, page: WholePage): Promise<ListPage<Machine>> {
  const { rows, total } = await pageOf(
    machines(query, tenantId).orderBy('machines.name'),
    page,
    countOf(selectOf(query, 'machines', tenantId)),
  )
  return { total, rows: await whole(query, tenantId, rows) }
}

async function whole(query: Query, tenantId: string, rows: readonly ReadMachine[]): Promise<Machine[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const [grants, tokens, trusts] = await Promise.all([
    grantsOf(query, tenantId, ids),
    tokensOf(query, tenantId, ids),
    trustsOf(query, tenantId, ids),
  ])
  return rows.map(({ reads_audit, ...row }) => ({
    ...row,
    is_active: row.is_active === 1,
    audit: reads_audit === 1,
    attempts: row.attempts ?? 0,
    grants: grants.get(row.id) ?? [],
    tokens: tokens.get(row.id) ?? [],
    trusts: trusts.get(row.id) ?? [],
  }))
}

async function grantsOf(query: Query, tenantId: string, machineIds: readonly string[]) {
  const rows = await selectOf(query, 'machine_grants', tenantId)
    .innerJoin('bundles', 'bundles.id', 'machine_grants.bundle_id')
    .select(['machine_grants.machine_id', 'machine_grants.scope', 'machine_grants.created_at'])
    .select(['bundles.id', 'bundles.name'])
    .where('machine_grants.machine_id', 'in', machineIds)
    .orderBy('bundles.name')
    .execute()
  return grouped(rows, ({ id, name, scope, created_at }) => ({ bundle: { id, name }, scope, created_at }))
}

async function tokensOf(query: Query, tenantId: string, machineIds: readonly string[]) {
  const rows = await selectOf(query, 'machine_tokens', tenantId)
    .select(['machine_id', 'id', 'hint', 'networks', 'created_by', 'created_at'])
    .select(['expires_at', 'lifetime_seconds', 'ended_at', 'last_used_at', 'last_used_ip'])
    .where('machine_id', 'in', machineIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return grouped(rows, ({ networks, ...row }) => ({ ...row, networks: networksIn(networks) }))
}

async function trustsOf(query: Query, tenantId: string, machineIds: readonly string[]) {
  const rows = await selectOf(query, 'machine_trusts', tenantId)
    .selectAll()
    .where('machine_id', 'in', machineIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return grouped(rows, trustIn)
}

function grouped<R extends { machine_id: string }, T>(rows: readonly R[], present: (row: R) => T) {
  const groups = Map.groupBy(rows, ({ machine_id }) => machine_id)
  return new Map([...groups].map(([id, each]) => [id, each.map(present)]))
}
