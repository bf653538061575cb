import { isMachineToken } from '@keyferry/crypto/machine-token'
import { hashToken } from '@keyferry/crypto/token'
import { type ClockAndIds, latestEnd, timestamp } from '../base/clock-and-ids.ts'
import { isInNetworks } from '../base/network.ts'
import type { Origin } from '../base/origin.ts'
import { bundleNotFound } from '../library/bundle.ts'
import type { Caller } from '../people/membership.ts'
import type { GrantScope, MachineToken, MachineTrust } from './machine.ts'
import { type ClaimedMachine, type IdentityParts, trustProvedBy } from './machine-identity.ts'
import { MachineRefusal } from './machine-refusal.ts'
import { tokensOff } from './machine-token.ts'

/*
 * How a call proves that a machine makes it, and what the machine may see. Each call looks the token up by its hash,
 * so an ended token is refused at once. The caller learns why an ended token is refused; all other texts get the same
 * answer. An ID token proves a machine for one delivery, or for one wait for changed values (machine-identity.ts). A
 * bundle that is not granted answers like an unknown one.
 */

type CallerName = { id: string; name: string }

type TokenProof = Omit<TokenStanding['token'], 'networks'> & { kind: 'token' }
type TrustProof = Pick<MachineTrust, 'id' | 'last_used_at'> & { kind: 'trust' }

/** An active machine that has proved itself. */
export type MachineCaller = {
  tenantId: string
  workspace: CallerName
  machine: CallerName
  readsAudit: boolean
  /** What proved it. */
  proof: TokenProof | TrustProof
  origin: Origin | null
}

type MachineStanding = Pick<MachineCaller, 'workspace' | 'machine' | 'readsAudit'> & { isActive: boolean }

/** The looked-up state of a token. */
type TokenStanding = MachineStanding & {
  token: Omit<MachineToken, 'created_by' | 'created_at' | 'last_used_ip'>
}

type OwnGrant = { bundle: CallerName; scope: GrantScope }

export interface MachineCallerStore {
  /** Null when there is no such token. */
  findByToken(tokenHash: string): Promise<TokenStanding | null>
  /** The machine that a call claims to be; null when there is none of this id. */
  findClaimed(machineId: string): Promise<(ClaimedMachine & MachineStanding) | null>
  /** By the bundle's name. */
  grants(tenantId: string, machineId: string): Promise<OwnGrant[]>
  /** The grant of a bundle, by the bundle's id or else its name. */
  findGrant(tenantId: string, machineId: string, bundle: string): Promise<OwnGrant | null>
}

export type AdmissionParts = IdentityParts & {
  machineCallers: MachineCallerStore
  /** The setting MACHINE_TOKENS. */
  tokensAllowed: boolean
}

type PresentedToken = { bearer: string; address: string; origin: Origin }

/** The machine that a call with an ID token claims to be, and its public key. */
export type ClaimedIdentity = { machineId: string; clientKey: Uint8Array }

/** Admit the machine that a bearer token proves.
 * @param claimed null for a call that ID tokens cannot make
 * @throws MachineRefusal unauthorized · tokens_off · token_ended · token_expired · machine_inactive · network_refused ·
 *   identity_not_trusted · token_not_bound · DomainError issuer_unavailable */
export async function admitMachine(
  parts: AdmissionParts,
  presented: PresentedToken,
  claimed: ClaimedIdentity | null,
): Promise<MachineCaller> {
  if (isMachineToken(presented.bearer)) return byToken(parts, presented)
  const known = claimed && (await parts.machineCallers.findClaimed(claimed.machineId))
  if (!known || !claimed) throw new MachineRefusal('unauthorized', 'Unauthorized', null)
  const { bearer: token, address, origin } = presented
  const { clientKey } = claimed
  const { id, last_used_at } = await trustProvedBy(parts, known, { token, address, clientKey })
  return provedBy(known, { kind: 'trust', id, last_used_at }, origin)
}

function provedBy(
  { workspace, machine, readsAudit }: MachineStanding,
  proof: MachineCaller['proof'],
  origin: Origin,
): MachineCaller {
  return { tenantId: workspace.id, workspace, machine, readsAudit, proof, origin }
}

async function byToken(
  { machineCallers, clock, tokensAllowed }: AdmissionParts,
  { bearer, address, origin }: PresentedToken,
): Promise<MachineCaller> {
  if (!tokensAllowed) throw new MachineRefusal('tokens_off', tokensOff().message, null)
  const standing = await machineCallers.findByToken(hashToken(bearer))
  if (standing === null) throw new MachineRefusal('unauthorized', 'Unauthorized', null)
  requireUsable(standing, { clock, address })
  const { networks: _networks, ...token } = standing.token
  return provedBy(standing, { kind: 'token', ...token }, origin)
}

function requireUsable(
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

type MachineRefusalReason = keyof typeof REASONS

function refused(machine: MachineRefusal['machine'], reason: MachineRefusalReason): MachineRefusal {
  return new MachineRefusal(reason, REASONS[reason], machine)
}

/** The refusal of a machine whose standing changed during its call. */
export function refusedNow(
  caller: MachineCaller,
  reason: Exclude<MachineRefusalReason, 'network_refused'>,
): MachineRefusal {
  return refused({ ...caller.machine, tenantId: caller.tenantId }, reason)
}

/** The refusal for a bundle that the machine may not fetch, or that does not exist: a machine learns no names. */
export function notGranted({ machine, tenantId }: MachineCaller): MachineRefusal {
  const message = `the machine ${machine.name} has no grant for this bundle`
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
