import { type ClockAndIds, latestEnd, timestamp } from '../../domain/base/clock-and-ids.ts'
import { isInNetworks } from '../../domain/base/network.ts'
import type { Program } from '../../domain/people/program.ts'
import type { GrantScope, MachineToken, MachineTrust } from './machine.ts'
import { MachineRefusal, type RefusedMachine } from './machine-refusal.ts'

/*
 * How a call proves that a machine makes it, and what the machine may see. Each call looks the token up by its hash,
 * so an ended token is refused at once. The caller learns why an ended token is refused; all other texts get the same
 * answer. An ID token proves a machine for one delivery, or for one wait for changed values (machine-identity.ts). A
 * bundle that is not granted answers like an unknown one.
 */

type CallerName = { id: string; name: string }

/** An active machine that has proved itself. */
export type MachineCaller = Program & {
  readsAudit: boolean
  workspace: CallerName
  machine: CallerName
  /** What proved it. */
  proof:
    | (Omit<TokenStanding['token'], 'networks'> & { kind: 'token' })
    | (Pick<MachineTrust, 'id' | 'last_used_at'> & { kind: 'trust' })
}

export type MachineStanding = Pick<MachineCaller, 'workspace' | 'machine' | 'readsAudit'> & {
  isActive: boolean
}

/** The looked-up state of a token. */
export type TokenStanding = MachineStanding & {
  token: Omit<MachineToken, 'created_by' | 'created_at' | 'last_used_ip'>
}

export type OwnGrant = { bundle: CallerName; scope: GrantScope }

/** The machine that a call with an ID token claims to be, and its public key. */
export type ClaimedIdentity = { machineId: string; clientKey: Uint8Array }

/** @throws MachineRefusal token_ended · token_expired · machine_inactive · network_refused */
export function requireUsable(
  { workspace, machine, isActive, token }: TokenStanding,
  { clock, address }: { clock: ClockAndIds; address: string },
): void {
  const who = { ...machine, tenantId: workspace.id }
  if (token.ended_at !== null) throw refused(who, 'token_ended')
  const { expires_at, lifetime_seconds } = token
  const hasEnded = expires_at <= timestamp(clock) || expires_at > latestEnd(clock, lifetime_seconds)
  if (hasEnded) throw refused(who, 'token_expired')
  if (!isActive) throw refused(who, 'machine_inactive')
  if (!isInNetworks(address, token.networks)) throw refused(who, 'network_refused')
}

const REASONS = {
  token_ended: 'the token was ended: ask an owner of the workspace for a new one',
  token_expired: 'the token has expired: ask an owner of the workspace for a new one',
  machine_inactive: 'an owner of the workspace stopped this machine',
  network_refused: 'the token does not work from this network',
  trust_ended: 'the trust was ended: ask an owner of the workspace',
} as const

/** Why a machine that lost its rights during its call is refused. */
export type LostStanding = Exclude<keyof typeof REASONS, 'network_refused'> | 'not_granted'

function refused(machine: RefusedMachine, reason: keyof typeof REASONS): MachineRefusal {
  return new MachineRefusal(reason, REASONS[reason], machine)
}

/** The refusal of a machine whose standing changed during its call. It never learns
 * the name of a bundle that it may not fetch. */
export function refusedNow({ machine, tenantId }: MachineCaller, reason: LostStanding): MachineRefusal {
  const who = { ...machine, tenantId }
  if (reason !== 'not_granted') return refused(who, reason)
  return new MachineRefusal(reason, `the machine ${machine.name} has no grant for this bundle`, who)
}

/** @throws MachineRefusal forbidden: the machine may not read the audit log */
export function requireAudit({ machine, tenantId, readsAudit }: MachineCaller): void {
  if (readsAudit) return
  const message = 'Forbidden: an owner has to let this machine read the audit log'
  throw new MachineRefusal('forbidden', message, { ...machine, tenantId })
}
