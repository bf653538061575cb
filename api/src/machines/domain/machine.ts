import {
  type AllowAttempt,
  type CreateTrust,
  MACHINE_LIMITS,
  type MachineAttemptList,
  type Machine as MachineSchema,
  type MachineToken as TokenSchema,
  type MachineTrust as TrustSchema,
} from '@keyferry/contract/machines'
import type { z } from 'zod'
import { DomainError } from '../../domain/base/errors.ts'
import type { ExpectedChange } from '../../domain/base/expected.ts'

/*
 * A machine is a program that fetches values without a person: a CI job, a deploy, a service. It belongs to a tenant,
 * and owners manage it. A grant lets it use one bundle, always as a whole: a narrower set of keys is another bundle.
 * It proves itself with a token (machine-token.ts) or by the ID token of another service (machine-identity.ts). An
 * inactive machine is refused; deleting it deletes its grants and tokens. A machine stays when the owner who
 * made it leaves.
 */

/** `read`: names of the bundle's keys, values masked. `deliver`: that, and deliveries of its values. */
export type GrantScope = Machine['grants'][number]['scope']

/** What owners see of a token. `hint`: its last four characters. `networks`: empty for every address.
 * `lifetime_seconds`: from when it was made until it was to expire; a rotation brings `expires_at` of the old one
 * forward. */
export type MachineToken = Omit<z.output<typeof TokenSchema>, 'due'> & { lifetime_seconds: number }

/** Which ID tokens prove a machine. */
export type MachineTrust = z.output<typeof TrustSchema>

export type TrustDraft = z.output<typeof CreateTrust>

/** `audit`: whether it may read the audit log. Grants are sorted by the bundle's name, tokens and trusts by age; tokens
 * that ended lately are among them. `attempts`: how many refused identities an owner can allow. */
export type Machine = z.output<typeof MachineSchema>

export type MachineDraft = Pick<Machine, 'name' | 'description' | 'is_active' | 'audit'>

export type MachineChange = ExpectedChange<MachineDraft>

export type GrantPlace = { machineId: string; bundleId: string }

/** `expected.scope`: null if the machine had no grant of the bundle. */
export type ScopeChange = GrantPlace & ExpectedChange<{ scope: GrantScope | null }> & { scope: GrantScope }

/** A refused call whose token was verified. `fingerprint` names the identity; `is_bound`: to the client's key. */
export type Attempt = Omit<z.output<typeof MachineAttemptList>[number], 'suggested'>

export type NewAttempt = Omit<Attempt, 'first_at' | 'last_at' | 'times'> & { machineId: string; at: string }

/** What an owner saw of an attempt, and signed where rules ask for that. */
export type SeenAttempt = z.output<typeof AllowAttempt>

export function machineNotFound(): DomainError {
  return new DomainError('not_found', 'machine not found')
}

/** Refuses one more than the limit of a machine or a workspace.
 * @throws DomainError conflict */
export function requireRoomFor(what: keyof typeof TOO_MANY, total: number): void {
  const limit = MACHINE_LIMITS[what]
  if (total >= limit) throw new DomainError('conflict', TOO_MANY[what](limit), { details: { limit } })
}

const TOO_MANY = {
  machines: (most: number) => `a workspace can have ${most} machines: delete one that is not used`,
  grants: (most: number) => `a machine can use ${most} bundles: remove one, or use another machine`,
  tokens: (most: number) => `a machine can have ${most} tokens: end one that is not used`,
  trusts: (most: number) => `a machine can have ${most} trusts: end one that is not used`,
}
