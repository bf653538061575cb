import { sql } from 'kysely'
import type { MachineCallerStore } from '../../domain/machines/machine-caller.ts'
import type { Queries } from '../base/queries.ts'
import { inOneTenant } from '../base/statements.ts'
import { selectOf } from '../base/tenant-rows.ts'
import { networksIn } from './machine-changes.ts'
import { keysIn, trustIn } from './machine-trusts.ts'

export function createMachineCallerStore({ query }: Queries): MachineCallerStore {
  const tokenOf = (tokenHash: string) =>
    query
      .selectFrom('machine_tokens as token')
      .innerJoin('machines', (join) => join.on(inOneTenant('machines.id', 'token.machine_id')))
      .innerJoin('tenants', 'tenants.id', 'token.tenant_id')
      .select(['token.id', 'token.hint', 'token.networks', 'token.expires_at', 'token.ended_at'])
      .select([
        'token.lifetime_seconds',
        'token.last_used_at',
        'token.machine_id',
        'machines.name as machine_name',
      ])
      .select([
        'machines.is_active',
        'machines.reads_audit',
        'tenants.id as tenant_id',
        'tenants.name as tenant_name',
      ])
      .where('token.token_hash', '=', tokenHash)
  const claimed = (machineId: string) =>
    query
      .selectFrom('machines')
      .innerJoin('tenants', 'tenants.id', 'machines.tenant_id')
      .select(['machines.name', 'machines.is_active', 'machines.reads_audit'])
      .select(['tenants.id as tenant_id', 'tenants.name as tenant_name'])
      .where('machines.id', '=', machineId)
  const grantsOf = (tenantId: string, machineId: string) =>
    selectOf(query, 'machine_grants', { tenantId, machine_id: machineId })
      .innerJoin('bundles', 'bundles.id', 'machine_grants.bundle_id')
      .select(['bundles.id', 'bundles.name', 'machine_grants.scope'])
  // A bundle may have the id of another as its name; the id counts.
  const grantOf = (tenantId: string, machineId: string, bundle: string) =>
    grantsOf(tenantId, machineId)
      .where((column) => column.or([column('bundles.id', '=', bundle), column('bundles.name', '=', bundle)]))
      .orderBy(sql`case when bundles.id = ${bundle} then 0 else 1 end`)
      .limit(1)
  return {
    async findByToken(tokenHash) {
      const row = await tokenOf(tokenHash).executeTakeFirst()
      if (!row) return null
      const { id, hint, expires_at, lifetime_seconds, ended_at, last_used_at } = row
      const networks = networksIn(row.networks)
      return {
        workspace: { id: row.tenant_id, name: row.tenant_name },
        machine: { id: row.machine_id, name: row.machine_name },
        isActive: row.is_active === 1,
        readsAudit: row.reads_audit === 1,
        token: { id, hint, networks, expires_at, lifetime_seconds, ended_at, last_used_at },
      }
    },
    async findClaimed(machineId) {
      const row = await claimed(machineId).executeTakeFirst()
      if (!row) return null
      const whose = { tenantId: row.tenant_id, machine_id: machineId }
      const trusts = await selectOf(query, 'machine_trusts', whose).selectAll().execute()
      return {
        workspace: { id: row.tenant_id, name: row.tenant_name },
        machine: { id: machineId, name: row.name },
        who: { tenantId: row.tenant_id, id: machineId, name: row.name },
        isActive: row.is_active === 1,
        readsAudit: row.reads_audit === 1,
        trusts: trusts.map((trust) => ({ ...trustIn(trust), keys: keysIn(trust.issuer_keys) })),
      }
    },
    async grants(tenantId, machineId) {
      const rows = await grantsOf(tenantId, machineId).orderBy('bundles.name').execute()
      return rows.map(ownGrant)
    },
    async findGrant(tenantId, machineId, bundle) {
      const row = await grantOf(tenantId, machineId, bundle).executeTakeFirst()
      return row ? ownGrant(row) : null
    },
  }
}

function ownGrant({ id, name, scope }: { id: string; name: string; scope: 'read' | 'deliver' }) {
  return { bundle: { id, name }, scope }
}
