import { LIMITS } from '@keyferry/contract'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import type { Listed, Page, WholePage } from '../base/listing.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
import { bundleNotFound } from '../library/bundle.ts'
import type { Caller } from '../people/membership.ts'

/*
 * A machine is a program that fetches values without a person: a CI job, a deploy, a service. It belongs to a tenant,
 * and owners manage it. A grant lets it use one bundle, always as a whole: a narrower set of keys is another bundle.
 * It proves itself with a token (machine-token.ts) or by the ID token of another service (machine-trust.ts). An
 * inactive machine is refused; a deleted one takes its grants and tokens along. A machine stays when the owner who
 * made it leaves.
 */

/** A machine that a record mentions; `name` is null once it is deleted. */
export type MachineName = { kind: 'machine'; id: string; name: string | null }

/** `read`: names of the bundle's keys, values masked. `deliver`: that, and deliveries of its values. */
export type GrantScope = 'read' | 'deliver'

type MachineGrant = { bundle: { id: string; name: string }; scope: GrantScope; created_at: string }

/** What owners see of a token. `hint`: its last four characters. `networks`: empty for every address. */
export type MachineToken = {
  id: string
  hint: string
  networks: readonly string[]
  created_by: string
  created_at: string
  expires_at: string
  /** From when it was made until it was to expire; a rotation brings `expires_at` of the old one forward. */
  lifetime_seconds: number
  ended_at: string | null
  last_used_at: string | null
  last_used_ip: string | null
}

/** `required`: the audience of its tokens names the client's key; `possible`: it may. */
export type TrustBinding = 'required' | 'possible'

/** Which ID tokens prove a machine. `has_keys`: the issuer's keys were pasted. */
export type MachineTrust = {
  id: string
  issuer: string
  audience: string
  claims: Readonly<Record<string, readonly string[]>>
  binding: TrustBinding
  networks: readonly string[]
  max_age_seconds: number | null
  is_broad: boolean
  has_keys: boolean
  created_by: string
  created_at: string
  last_used_at: string | null
}

export type Machine = {
  id: string
  name: string
  description: string
  is_active: boolean
  /** Whether it may read the audit log. */
  audit: boolean
  created_by: string
  created_at: string
  updated_at: string
  last_delivery_at: string | null
  /** By the bundle's name. */
  grants: readonly MachineGrant[]
  /** The oldest first; those that ended lately among them. */
  tokens: readonly MachineToken[]
  /** The oldest first. */
  trusts: readonly MachineTrust[]
  /** How many refused identities an owner can allow. */
  attempts: number
}

export type MachineDraft = Pick<Machine, 'name' | 'description' | 'is_active' | 'audit'>

export type MachineChange = { [Field in keyof MachineDraft]?: MachineDraft[Field] | undefined }

type GrantPlace = { machineId: string; bundleId: string }

export interface MachineStore {
  insert(
    tenantId: string,
    machine: MachineDraft & { id: string },
    stamp: Stamp,
  ): Promise<'done' | 'taken' | 'full'>
  find(tenantId: string, machineId: string): Promise<Machine | null>
  /** By name. */
  list(tenantId: string, page: WholePage): Promise<Listed<Machine>>
  /** A change that changes nothing leaves no trace. */
  update(
    tenantId: string,
    machineId: string,
    change: MachineChange & { stamp: Stamp },
  ): Promise<'done' | 'absent' | 'taken'>
  /** Ends its tokens and grants too. */
  delete(tenantId: string, machineId: string, stamp: Stamp): Promise<boolean>
  /** Makes a grant, or changes its scope. */
  grant(
    tenantId: string,
    grant: GrantPlace & { scope: GrantScope },
    stamp: Stamp,
  ): Promise<'done' | 'no_machine' | 'no_bundle' | 'full'>
  /** Whether any machine may fetch the values of a bundle. */
  isDelivered(tenantId: string, bundleId: string): Promise<boolean>
  /** False when there is no such grant. */
  revoke(tenantId: string, place: GrantPlace, stamp: Stamp): Promise<boolean>
}

type MachineParts = { machines: MachineStore; clock: ClockAndIds }

/** @throws DomainError conflict: the name is taken, or the workspace has as many machines as it can have */
export async function createMachine(
  { machines, clock }: MachineParts,
  caller: Caller,
  draft: MachineDraft,
): Promise<Machine> {
  const id = clock.newId()
  const outcome = await machines.insert(caller.tenantId, { ...draft, id }, stampOf(caller, clock))
  if (outcome === 'taken') throw machineNameTaken()
  if (outcome === 'full') {
    const message = `a workspace can have ${LIMITS.machines} machines: delete one that is not used`
    throw new DomainError('conflict', message, { details: { limit: LIMITS.machines } })
  }
  return readBack(findMachine(machines, caller, id))
}

/** @throws DomainError not_found, for another tenant's machine too */
export async function findMachine(
  machines: MachineStore,
  { tenantId }: Caller,
  machineId: string,
): Promise<Machine> {
  const machine = await machines.find(tenantId, machineId)
  if (machine === null) throw machineNotFound()
  return machine
}

export function listMachines(
  machines: MachineStore,
  { tenantId }: Caller,
  { limit = LIMITS.machines, offset = 0 }: Page,
): Promise<Listed<Machine>> {
  return machines.list(tenantId, { limit, offset })
}

/** Change a machine; absent fields stay.
 * @throws DomainError not_found · conflict: the name is taken */
export async function updateMachine(
  { machines, clock }: MachineParts,
  caller: Caller,
  { machineId, change }: { machineId: string; change: MachineChange },
): Promise<Machine> {
  const stamp = stampOf(caller, clock)
  const outcome = await machines.update(caller.tenantId, machineId, { ...change, stamp })
  if (outcome === 'absent') throw machineNotFound()
  if (outcome === 'taken') throw machineNameTaken()
  return readBack(findMachine(machines, caller, machineId))
}

/** @throws DomainError not_found */
export async function deleteMachine(
  { machines, clock }: MachineParts,
  caller: Caller,
  machineId: string,
): Promise<void> {
  if (!(await machines.delete(caller.tenantId, machineId, stampOf(caller, clock)))) throw machineNotFound()
}

/** Let a machine use a bundle, or change what it may do with it.
 * @throws DomainError not_found (machine or bundle) · conflict: the machine has as many grants as it can have */
export async function grantBundle(
  { machines, clock }: MachineParts,
  caller: Caller,
  grant: GrantPlace & { scope: GrantScope },
): Promise<void> {
  const outcome = await machines.grant(caller.tenantId, grant, stampOf(caller, clock))
  if (outcome === 'no_machine') throw machineNotFound()
  if (outcome === 'no_bundle') throw bundleNotFound()
  if (outcome !== 'full') return
  const message = `a machine can use ${LIMITS.machineGrants} bundles: remove one, or use another machine`
  throw new DomainError('conflict', message, { details: { limit: LIMITS.machineGrants } })
}

/** @throws DomainError not_found: the machine may not use the bundle anyway */
export async function revokeBundle(
  { machines, clock }: MachineParts,
  caller: Caller,
  place: GrantPlace,
): Promise<void> {
  if (await machines.revoke(caller.tenantId, place, stampOf(caller, clock))) return
  throw new DomainError('not_found', 'the machine has no such bundle')
}

export function machineNotFound(): DomainError {
  return new DomainError('not_found', 'machine not found')
}

function machineNameTaken(): DomainError {
  return new DomainError('conflict', 'machine with this name already exists')
}
