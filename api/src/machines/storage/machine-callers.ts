import { isMachineToken } from '@keyferry/crypto/machine-token'
import { hashToken } from '@keyferry/crypto/token'
import { sql } from 'kysely'
import type { Origin } from '../../domain/base/origin.ts'
import type { Query } from '../../storage/base/queries.ts'
import { inOneTenant } from '../../storage/base/statements.ts'
import { selectOf } from '../../storage/base/tenant-rows.ts'
import type { IdTokens } from '../domain/id-token.ts'
import type { NewAttempt } from '../domain/machine.ts'
import {
  type ClaimedIdentity,
  type MachineCaller,
  type MachineStanding,
  type OwnGrant,
  requireUsable,
  type TokenStanding,
} from '../domain/machine-caller.ts'
import { type ClaimedMachine, trustProvedBy } from '../domain/machine-identity.ts'
import { MachineRefusal } from '../domain/machine-refusal.ts'
import { TOKENS_OFF } from '../domain/machine-token.ts'
import { noteAttempt } from './machine-attempts.ts'
import { type MachineParts, networksIn } from './machine-changes.ts'
import { keysIn, trustIn } from './machine-trusts.ts'

export type AdmissionParts = Omit<MachineParts, 'targets'> & { idTokens: IdTokens }

/** Admit the machine that a bearer token proves.
 * @param claimed null for a call that ID tokens cannot make
 * @throws MachineRefusal unauthorized · tokens_off · token_ended · token_expired · machine_inactive · network_refused ·
 *   identity_not_trusted · token_not_bound · DomainError issuer_unavailable */
export async function admitMachine(
  parts: AdmissionParts,
  { bearer, address, origin }: { bearer: string; address: string; origin: Origin },
  claimed: ClaimedIdentity | null,
): Promise<MachineCaller> {
  const { queries, clock } = parts
  const proved = ({ workspace, machine, readsAudit }: MachineStanding, proof: MachineCaller['proof']) => {
    const bundleIds = async () =>
      (await grantsOf(queries.query, workspace.id, machine.id)).map(({ bundle }) => bundle.id)
    return { tenantId: workspace.id, workspace, machine, readsAudit, proof, origin, bundleIds }
  }
  if (isMachineToken(bearer)) {
    if (!parts.tokensAllowed) throw new MachineRefusal('tokens_off', TOKENS_OFF, null)
    const standing = await findByToken(queries.query, hashToken(bearer))
    if (standing === null) throw unauthorized()
    requireUsable(standing, { clock, address })
    const { networks: _networks, ...token } = standing.token
    return proved(standing, { kind: 'token', ...token })
  }
  const known = claimed && (await findClaimed(queries.query, claimed.machineId))
  if (!known || !claimed) throw unauthorized()
  const identity = {
    ...parts,
    noteAttempt: (...noted: [tenantId: string, attempt: NewAttempt]) =>
      queries.write((transaction) => noteAttempt(transaction, ...noted)),
  }
  const call = { token: bearer, address, clientKey: claimed.clientKey }
  const { id, last_used_at } = await trustProvedBy(identity, known, call)
  return proved(known, { kind: 'trust', id, last_used_at })
}

function unauthorized(): MachineRefusal {
  return new MachineRefusal('unauthorized', 'Unauthorized', null)
}

const STANDING = [
  'machines.id as machine_id',
  'machines.name as machine_name',
  'machines.is_active',
  'machines.reads_audit',
  'tenants.id as tenant_id',
  'tenants.name as tenant_name',
] as const

type StandingRow = Record<'machine_id' | 'machine_name' | 'tenant_id' | 'tenant_name', string> &
  Record<'is_active' | 'reads_audit', number>

function standingIn(row: StandingRow): MachineStanding {
  return {
    workspace: { id: row.tenant_id, name: row.tenant_name },
    machine: { id: row.machine_id, name: row.machine_name },
    isActive: row.is_active === 1,
    readsAudit: row.reads_audit === 1,
  }
}

/** Null when there is no such token. */
async function findByToken(query: Query, tokenHash: string): Promise<TokenStanding | null> {
  const row = await query
    .selectFrom('machine_tokens as token')
    .innerJoin('machines', (join) => join.on(inOneTenant('machines.id', 'token.machine_id')))
    .innerJoin('tenants', 'tenants.id', 'token.tenant_id')
    .select(['token.id', 'token.hint', 'token.networks', 'token.expires_at', 'token.ended_at'])
    .select(['token.lifetime_seconds', 'token.last_used_at', ...STANDING])
    .where('token.token_hash', '=', tokenHash)
    .executeTakeFirst()
  if (!row) return null
  const { id, hint, expires_at, lifetime_seconds, ended_at, last_used_at } = row
  const networks = networksIn(row.networks)
  const token = { id, hint, networks, expires_at, lifetime_seconds, ended_at, last_used_at }
  return { ...standingIn(row), token }
}

/** The machine that a call claims to be; null when there is none of this id. */
async function findClaimed(query: Query, machineId: string): Promise<ClaimedMachine | null> {
  const row = await query
    .selectFrom('machines')
    .innerJoin('tenants', 'tenants.id', 'machines.tenant_id')
    .select(STANDING)
    .where('machines.id', '=', machineId)
    .executeTakeFirst()
  if (!row) return null
  const whose = { tenantId: row.tenant_id, machine_id: machineId }
  const trusts = await selectOf(query, 'machine_trusts', whose).selectAll().execute()
  return {
    ...standingIn(row),
    trusts: trusts.map((trust) => ({ ...trustIn(trust), keys: keysIn(trust.issuer_keys) })),
  }
}

function ownGrants(query: Query, tenantId: string, machineId: string) {
  return selectOf(query, 'machine_grants', { tenantId, machine_id: machineId })
    .innerJoin('bundles', 'bundles.id', 'machine_grants.bundle_id')
    .select(['bundles.id', 'bundles.name', 'machine_grants.scope'])
}

/** By the bundle's name. */
export async function grantsOf(query: Query, tenantId: string, machineId: string): Promise<OwnGrant[]> {
  const rows = await ownGrants(query, tenantId, machineId).orderBy('bundles.name').execute()
  return rows.map(ownGrant)
}

/** The grant of a bundle, by the bundle's id or else its name. A bundle may have the id of another as its name. */
export async function findGrant(
  query: Query,
  { tenantId, machine }: Pick<MachineCaller, 'tenantId' | 'machine'>,
  bundle: string,
): Promise<OwnGrant | null> {
  const row = await ownGrants(query, tenantId, machine.id)
    .where((column) => column.or([column('bundles.id', '=', bundle), column('bundles.name', '=', bundle)]))
    .orderBy(sql`case when bundles.id = ${bundle} then 0 else 1 end`)
    .limit(1)
    .executeTakeFirst()
  return row ? ownGrant(row) : null
}

function ownGrant({ id, name, scope }: { id: string; name: string; scope: OwnGrant['scope'] }): OwnGrant {
  return { bundle: { id, name }, scope }
}
