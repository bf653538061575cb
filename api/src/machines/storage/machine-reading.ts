import type { ClockAndIds } from '../../domain/base/clock-and-ids.ts'
import type { ListPage, WholePage } from '../../domain/base/listing.ts'
import type { Query } from '../../storage/base/queries.ts'
import { countOf, pageOf, selectOf } from '../../storage/base/tenant-rows.ts'
import { type Machine, machineNotFound } from '../domain/machine.ts'
import { tokenDue } from '../domain/machine-token.ts'
import { networksIn } from './machine-changes.ts'
import { trustIn } from './machine-trusts.ts'

type MachineReading = { query: Query; clock: ClockAndIds }

/** A machine with its grants, tokens and trusts.
 * @throws DomainError not_found, for another tenant's machine too */
export async function findMachine(
  { query, clock }: MachineReading,
  tenantId: string,
  machineId: string,
): Promise<Machine> {
  const rows = await machines(query, tenantId).where('machines.id', '=', machineId).execute()
  const [machine] = await whole({ query, clock }, tenantId, rows)
  if (!machine) throw machineNotFound()
  return machine
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

/** By name. */
export async function listMachines(
  { query, clock }: MachineReading,
  tenantId: string,
  page: WholePage,
): Promise<ListPage<Machine>> {
  const { rows, total } = await pageOf(
    machines(query, tenantId).orderBy('machines.name'),
    page,
    countOf(selectOf(query, 'machines', tenantId)),
  )
  return { total, rows: await whole({ query, clock }, tenantId, rows) }
}

async function whole(
  { query, clock }: MachineReading,
  tenantId: string,
  rows: readonly ReadMachine[],
): Promise<Machine[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const [grants, tokens, trusts] = await Promise.all([
    grantsOf(query, tenantId, ids),
    tokensOf({ query, clock }, tenantId, ids),
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

async function tokensOf({ query, clock }: MachineReading, tenantId: string, machineIds: readonly string[]) {
  const rows = await selectOf(query, 'machine_tokens', tenantId)
    .select(['machine_id', 'id', 'hint', 'networks', 'created_by', 'created_at'])
    .select(['expires_at', 'lifetime_seconds', 'ended_at', 'last_used_at', 'last_used_ip'])
    .where('machine_id', 'in', machineIds)
    .orderBy('created_at')
    .orderBy('id')
    .execute()
  return grouped(rows, ({ networks, lifetime_seconds, ...row }) => ({
    ...row,
    networks: networksIn(networks),
    due: tokenDue({ ...row, lifetime_seconds }, clock.now()),
  }))
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
