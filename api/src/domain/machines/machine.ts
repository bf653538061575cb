import {
  LIMITS,
  type Machine as MachineSchema,
  type MachineToken as TokenSchema,
  type MachineTrust as TrustSchema,
} from '@keyferry/contract'
import type { z } from 'zod'
import type { ClockAndIds } from '../base/clock-and-ids.ts'
import { DomainError, readBack } from '../base/errors.ts'
import type { ExpectedChange } from '../base/expected.ts'
import type { ListPage, WholePage } from '../base/listing.ts'
import { type Stamp, stampOf } from '../base/stamp.ts'
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
export type GrantScope = Machine['grants'][number]['scope']

/** What owners see of a token. `hint`: its last four characters. `networks`: empty for every address.
 * `lifetime_seconds`: from when it was made until it was to expire; a rotation brings `expires_at` of the old one
 * forward. */
export type MachineToken = Omit<z.output<typeof TokenSchema>, 'due'> & { lifetime_seconds: number }

/** Which ID tokens prove a machine. */
export type MachineTrust = z.output<typeof TrustSchema>

/** `audit`: whether it may read the audit log. Grants are sorted by the bundle's name, tokens and trusts by age; tokens
 * that ended lately are among them. `attempts`: how many refused identities an owner can allow. */
export type Machine = Omit<z.output<typeof MachineSchema>, 'tokens'> & { tokens: MachineToken[] }

export type MachineDraft = Pick<Machine, 'name' | 'description' | 'is_active' | 'audit'>

export type MachineChange = ExpectedChange<MachineDraft>

export type GrantPlace = { machineId: string; bundleId: string }

/** `expected.scope`: null if the machine had no grant of the bundle. */
export type ScopeChange = GrantPlace & ExpectedChange<{ scope: GrantScope | null }> & { scope: GrantScope }

export interface MachineStore {
  /** @throws DomainError conflict: the name is taken, or the workspace is full */
  insert(machine: MachineDraft & { id: string }, stamp: Stamp): Promise<void>
  /** @throws DomainError not_found, for another tenant's machine too */
  find(tenantId: string, machineId: string): Promise<Machine>
  /** By name. */
  list(tenantId: string, page: WholePage): Promise<ListPage<Machine>>
  /** A change that changes nothing leaves no trace.
   * @throws DomainError not_found · conflict: the name is taken · changed */
  update(change: MachineChange & { machineId: string }, stamp: Stamp): Promise<void>
  /** Ends its tokens and grants too.
   * @throws DomainError not_found */
  delete(machineId: string, stamp: Stamp): Promise<void>
  /** Lets a machine use a bundle, or changes what it may do with it.
   * @throws DomainError not_found (machine or bundle) · changed · conflict: the machine has as many grants as it can
   *   have */
  grant(grant: ScopeChange, stamp: Stamp): Promise<void>
  /** Whether any machine may fetch the values of a bundle. */
  isDelivered(tenantId: string, bundleId: string): Promise<boolean>
  /** @throws DomainError not_found: the machine has no grant for the bundle */
  revoke(place: GrantPlace, stamp: Stamp): Promise<void>
}

type MachineParts = { machines: MachineStore; clock: ClockAndIds }

/** @throws DomainError conflict: the name is taken, or the workspace has as many machines as it can have */
export async function createMachine(
  { machines, clock }: MachineParts,
  caller: Caller,
  draft: MachineDraft,
): Promise<Machine> {
  const id = clock.newId()
  await machines.insert({ ...draft, id }, stampOf(caller, clock))
  return readBack(machines.find(caller.tenantId, id))
}

/** Change a machine; absent fields stay.
 * @throws DomainError not_found · conflict: the name is taken · changed */
export async function updateMachine(
  { machines, clock }: MachineParts,
  caller: Caller,
  { machineId, change }: { machineId: string; change: MachineChange },
): Promise<Machine> {
  await machines.update({ ...change, machineId }, stampOf(caller, clock))
  return readBack(machines.find(caller.tenantId, machineId))
}

export function machineNotFound(): DomainError {
  return new DomainError('not_found', 'machine not found')
}

export function machineNameTaken(): DomainError {
  return new DomainError('conflict', 'machine with this name already exists')
}

export function tooManyMachines(): DomainError {
  const message = `a workspace can have ${LIMITS.machines} machines: delete one that is not used`
  return new DomainError('conflict', message, { details: { limit: LIMITS.machines } })
}

export function tooManyGrants(): DomainError {
  const message = `a machine can use ${LIMITS.machineGrants} bundles: remove one, or use another machine`
  return new DomainError('conflict', message, { details: { limit: LIMITS.machineGrants } })
}

export function notGranted(): DomainError {
  return new DomainError('not_found', 'the machine has no such bundle')
}
