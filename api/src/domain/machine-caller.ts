import type { ErrorCode } from '@keyferry/contract'
import { isMachineToken } from '@keyferry/crypto/machine-token'
import { hashToken } from '@keyferry/crypto/token'
import { bundleNotFound } from './bundle.ts'
import { type ClockAndIds, timestamp } from './clock-and-ids.ts'
import { DomainError } from './errors.ts'
import type { GrantScope, MachineToken } from './machine.ts'
import { tokensOff } from './machine-token.ts'
import type { Caller } from './membership.ts'
import { isInNetworks } from './network.ts'
import type { Origin } from './origin.ts'

/*
 * How a call proves that a machine makes it, and what the machine may see. Its bearer token is looked up by its hash on
 * every call, so an ended token is refused at once. Whoever holds a token that ended learns why it is refused; all other
 * texts get the same answer. A bundle that is not granted answers as an unknown one does.
 */

type Named = { id: string; name: string }

/** An active machine that has proved itself. */
export type MachineCaller = {
  tenantId: string
  workspace: Named
  machine: Named
  readsAudit: boolean
  /** What proved it. */
  proof: Pick<MachineToken, 'id' | 'hint' | 'expires_at' | 'ended_at' | 'last_used_at'>
  origin: Origin | null
}

/** The looked-up state of a token. */
type TokenStanding = Pick<MachineCaller, 'workspace' | 'machine' | 'readsAudit'> & {
  isActive: boolean
  token: MachineCaller['proof'] & Pick<MachineToken, 'networks'>
}

type OwnGrant = { bundle: Named; scope: GrantScope }

export interface MachineCallerStore {
  /** Null when there is no such token. */
  findByToken(tokenHash: string): Promise<TokenStanding | null>
  /** By the bundle's name. */
  grants(tenantId: string, machineId: string): Promise<OwnGrant[]>
  /** The grant of a bundle, by the bundle's id or else its name. */
  findGrant(tenantId: string, machineId: string, bundle: string): Promise<OwnGrant | null>
}

/** A refused call of a machine. `machine` is null where the caller proved to be none. */
export class MachineRefusal extends DomainError {
  readonly machine: (Named & { tenantId: string }) | null

  constructor(code: ErrorCode, message: string, machine: MachineRefusal['machine']) {
    super(code, message)
    this.machine = machine
  }
}

export type AdmissionParts = {
  machineCallers: MachineCallerStore
  clock: ClockAndIds
  /** The setting MACHINE_TOKENS. */
  tokensAllowed: boolean
}

/** Admit the machine that a bearer token proves.
 * @throws MachineRefusal unauthorized · tokens_off · token_ended · token_expired · machine_inactive · network_refused */
export async function admitMachine(
  { machineCallers, clock, tokensAllowed }: AdmissionParts,
  { bearer, address, origin }: { bearer: string; address: string; origin: Origin },
): Promise<MachineCaller> {
  if (!isMachineToken(bearer)) throw new MachineRefusal('unauthorized', 'Unauthorized', null)
  if (!tokensAllowed) throw new MachineRefusal('tokens_off', tokensOff().message, null)
  const standing = await machineCallers.findByToken(hashToken(bearer))
  if (standing === null) throw new MachineRefusal('unauthorized', 'Unauthorized', null)
  requireUsable(standing, { clock, address })
  const { workspace, machine, readsAudit, token: proof } = standing
  return { tenantId: workspace.id, workspace, machine, readsAudit, proof, origin }
}

function requireUsable(
  { workspace, machine, isActive, token }: TokenStanding,
  { clock, address }: { clock: ClockAndIds; address: string },
): void {
  const who = { ...machine, tenantId: workspace.id }
  if (token.ended_at !== null) throw refused(who, 'token_ended')
  if (token.expires_at <= timestamp(clock)) throw refused(who, 'token_expired')
  if (!isActive) throw refused(who, 'machine_inactive')
  if (!isInNetworks(address, token.networks)) throw refused(who, 'network_refused')
}

const REASONS = {
  token_ended: 'the token was ended: ask an owner of the workspace for a new one',
  token_expired: 'the token has expired: ask an owner of the workspace for a new one',
  machine_inactive: 'an owner of the workspace stopped this machine',
  network_refused: 'the token does not work from this network',
} as const

type Reason = keyof typeof REASONS

function refused(machine: MachineRefusal['machine'], reason: Reason): MachineRefusal {
  return new MachineRefusal(reason, REASONS[reason], machine)
}

/** The refusal of a machine whose standing changed during its call. */
export function refusedNow(
  caller: MachineCaller,
  reason: Exclude<Reason, 'network_refused'>,
): MachineRefusal {
  return refused({ ...caller.machine, tenantId: caller.tenantId }, reason)
}

/** The refusal for a bundle that the machine may not fetch, or that does not exist: a machine learns no names. */
export function notGranted({ machine, tenantId }: MachineCaller): MachineRefusal {
  const message = `an owner of the workspace has to grant this bundle to the machine ${machine.name}`
  return new MachineRefusal('not_granted', message, { ...machine, tenantId })
}

/** @throws MachineRefusal forbidden: the machine may not read the audit log */
export function requireAudit({ machine, tenantId, readsAudit }: MachineCaller): void {
  if (readsAudit) return
  const message = 'Forbidden: an owner has to let this machine read the audit log'
  throw new MachineRefusal('forbidden', message, { ...machine, tenantId })
}

/** A person or a machine, where both may read. */
export type Reader = Caller | MachineCaller

export function isMachine(reader: Reader): reader is MachineCaller {
  return 'machine' in reader
}

/** The values that an answer may show: a machine sees masks alone, and asks for a delivery instead. */
export function shownTo(reader: Reader): 'none' | 'public' {
  return isMachine(reader) ? 'none' : 'public'
}

/** A machine reads only bundles that it is granted.
 * @throws DomainError not_found */
export async function requireReadable(
  machineCallers: MachineCallerStore,
  reader: Reader,
  bundleId: string,
): Promise<void> {
  if (!isMachine(reader)) return
  const grant = await machineCallers.findGrant(reader.tenantId, reader.machine.id, bundleId)
  if (grant?.bundle.id !== bundleId) throw bundleNotFound()
}
