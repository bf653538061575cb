import { digestOf } from '@keyferry/crypto/digest'
import { keyBinding } from '@keyferry/crypto/key-binding'
import { type ClockAndIds, timestamp } from '../../domain/base/clock-and-ids.ts'
import { DomainError } from '../../domain/base/errors.ts'
import { isInNetworks } from '../../domain/base/network.ts'
import type { IdTokenProblem, IdTokens, KeySet } from './id-token.ts'
import type { MachineTrust, NewAttempt } from './machine.ts'
import type { MachineStanding } from './machine-caller.ts'
import { MachineRefusal, type RefusedMachine } from './machine-refusal.ts'
import { type Claims, differingClaims, identityText, KNOWN_ISSUERS, shownClaims } from './trusted-claims.ts'

/*
 * How an ID token proves a machine. The token is the credential of one call: nothing is exchanged and nothing is
 * stored. The server talks to an issuer only if a trust of the machine names it, or if it is one of the known
 * platforms; so strangers cannot make it fetch from where they like. The audience is ours alone. Bound to the client's
 * key (`<audience>/key/<hash>`), a leaked token is useless: a replay gets a box that only the first client can open.
 *
 * A refusal names the claims that differ and never what they should be.
 */

export type TrustOfMachine = MachineTrust & { keys: KeySet | null }

/** A machine whose id a call names, before anything is proved. */
export type ClaimedMachine = MachineStanding & { trusts: readonly TrustOfMachine[] }

export type IdentityParts = {
  idTokens: IdTokens
  /** Counts an attempt again, or keeps it as a new one unless there were too many. */
  noteAttempt: (tenantId: string, attempt: NewAttempt) => Promise<void>
  clock: ClockAndIds
  audience: string
}

export type IdentityCall = { token: string; address: string; clientKey: Uint8Array }

const MAX_LIFETIME_SECONDS = 24 * 60 * 60

/** The trust by which an ID token proves the machine.
 * @throws MachineRefusal unauthorized · token_expired · machine_inactive · identity_not_trusted (`details.differs`) ·
 *   token_not_bound · network_refused · DomainError issuer_unavailable */
export async function trustProvedBy(
  parts: IdentityParts,
  { workspace, machine, isActive, trusts }: ClaimedMachine,
  call: IdentityCall,
): Promise<TrustOfMachine> {
  const who = { ...machine, tenantId: workspace.id }
  const issuer = parts.idTokens.issuerOf(call.token)
  const candidates = trusts.filter((trust) => trust.issuer === issuer)
  if (issuer === null || (candidates.length === 0 && !KNOWN_ISSUERS.includes(issuer))) throw unauthorized(who)
  const { claims, verifiers } = await verified(parts, { who, issuer, candidates }, call.token)
  if (!isActive)
    throw new MachineRefusal('machine_inactive', 'an owner of the workspace stopped this machine', who)
  const judged = verifiers
    .map((trust) => ({ trust, differs: differences(parts.clock, trust, { claims, call }) }))
    .toSorted((a, b) => a.differs.length - b.differs.length)
  const [best] = judged
  if (best?.differs.length === 0) return best.trust
  const differs = best?.differs ?? unknownIssuer(parts.audience, { claims, call })
  await note(parts, { who, issuer, claims, differs, call })
  throw refusal(who, differs, claims)
}

type TrustCandidates = { who: RefusedMachine; issuer: string; candidates: readonly TrustOfMachine[] }

// Trusts in one issuer may have different pasted keys. A token proves its claims only to those whose keys verify it.
async function verified(
  { idTokens }: IdentityParts,
  { who, issuer, candidates }: TrustCandidates,
  token: string,
) {
  const groups = Map.groupBy(candidates, ({ keys }) => JSON.stringify(keys))
  const verifiers: TrustOfMachine[] = []
  const problems: IdTokenProblem[] = []
  let claims: Claims | null = null
  for (const trusts of groups.size === 0 ? [[]] : groups.values()) {
    const outcome = await idTokens.verify(token, { issuer, keys: trusts[0]?.keys ?? null })
    if (typeof outcome === 'string') problems.push(outcome)
    else {
      claims = outcome
      verifiers.push(...trusts)
    }
  }
  if (claims === null) throw unproved(who, problems)
  return { claims, verifiers }
}

function unproved(who: RefusedMachine, problems: readonly IdTokenProblem[]): Error {
  if (problems.includes('expired'))
    return new MachineRefusal('token_expired', 'the ID token has expired', who)
  if (!problems.includes('issuer_unavailable')) return unauthorized(who)
  const message = 'the issuer of the ID token does not answer'
  return new DomainError('issuer_unavailable', message, { retryAfterSeconds: 30 })
}

type IdentityClaims = { claims: Claims; call: IdentityCall }

function differences(clock: ClockAndIds, trust: TrustOfMachine, { claims, call }: IdentityClaims): string[] {
  const audience = audienceProblem(trust, claims, call.clientKey)
  const ages = agesOf(claims, clock)
  const isTooOld = ages.age > (trust.max_age_seconds ?? Number.POSITIVE_INFINITY)
  return [
    ...(audience === null ? [] : [audience]),
    ...(ages.lifetime > MAX_LIFETIME_SECONDS ? ['exp'] : []),
    ...(isTooOld ? ['iat'] : []),
    ...differingClaims(trust.issuer, trust.claims, claims),
    ...(isInNetworks(call.address, trust.networks) ? [] : ['network']),
  ]
}

function agesOf(claims: Claims, clock: ClockAndIds): { age: number; lifetime: number } {
  const [iat, exp] = [Number(claims['iat']), Number(claims['exp'])]
  return { age: clock.now().getTime() / 1_000 - iat, lifetime: exp - iat }
}

/** `binding`: ours, but not bound to the client's key where it has to be. */
function audienceProblem(
  { audience, binding }: Pick<TrustOfMachine, 'audience' | 'binding'>,
  claims: Claims,
  clientKey: Uint8Array,
): 'aud' | 'binding' | null {
  const aud = onlyAudience(claims)
  if (aud === boundAudience(audience, clientKey)) return null
  if (aud !== audience) return 'aud'
  return binding === 'required' ? 'binding' : null
}

// A list of one counts as its text; in a longer one others are meant too.
function onlyAudience({ aud }: Claims): unknown {
  return Array.isArray(aud) && aud.length === 1 ? aud[0] : aud
}

function boundAudience(audience: string, clientKey: Uint8Array): string {
  return `${audience}/key/${keyBinding(clientKey)}`
}

function unknownIssuer(audience: string, { claims, call }: IdentityClaims): string[] {
  const problem = audienceProblem({ audience, binding: 'possible' }, claims, call.clientKey)
  return problem === null ? ['issuer'] : ['aud', 'issuer']
}

type Refused = IdentityClaims & { who: RefusedMachine; issuer: string; differs: readonly string[] }

// A token that was made for another service is no attempt to call this server.
async function note(
  { noteAttempt, clock }: IdentityParts,
  { who, issuer, claims, differs, call }: Refused,
): Promise<void> {
  if (differs.includes('aud')) return
  await noteAttempt(who.tenantId, {
    machineId: who.id,
    fingerprint: digestOf(identityText(issuer, claims)),
    issuer,
    claims: shownClaims(claims),
    is_bound: String(onlyAudience(claims)).endsWith(`/key/${keyBinding(call.clientKey)}`),
    reason: differs.join(','),
    at: timestamp(clock),
  })
}

function refusal(who: RefusedMachine, differs: readonly string[], claims: Claims): MachineRefusal {
  if (differs.every((name) => name === 'binding')) {
    const message = 'the ID token has to be bound to the client key by its audience'
    return new MachineRefusal('token_not_bound', message, who)
  }
  if (differs.every((name) => name === 'network')) {
    return new MachineRefusal('network_refused', 'the trust does not work from this network', who)
  }
  const message = `the machine does not trust this identity: ${differs.join(', ')} differ`
  return new MachineRefusal('identity_not_trusted', message, who, { seen: shownClaims(claims), differs })
}

function unauthorized(who: RefusedMachine): MachineRefusal {
  return new MachineRefusal('unauthorized', 'Unauthorized', who)
}
