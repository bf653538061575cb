import { LIMITS } from '@keyferry/contract'
import { MACHINE_LIMITS } from '@keyferry/contract/machines'
import {
  GITHUB_ISSUER,
  GITLAB_ISSUER,
  IDENTITY_CLAIMS,
  missing,
  platformOf,
  REGISTERED_CLAIMS,
} from '@keyferry/contract/machines/trusts'
import { DomainError } from '../../domain/base/errors.ts'

/*
 * What a trust demands of an ID token's claims. Claims are compared as exact texts; a number or a truth value counts
 * by its JSON text, a list never matches. There are no patterns, except a final slash and star in the few claims that
 * contain a path of refs. A trust has to be specific: it pins the project by an id that cannot be taken over, and what
 * in it may call. `sub` of a known platform is not parsed: its form changes.
 */

/** Claim names with the texts that each may have. */
export type ClaimRules = Readonly<Record<string, readonly string[]>>

export type Claims = Readonly<Record<string, unknown>>

/** Issuers whose tokens are kept as attempts of a machine that has no trust in them. */
export const KNOWN_ISSUERS: readonly string[] = [GITHUB_ISSUER, GITLAB_ISSUER]

const PATHS = new Set(['ref', 'ref_path', 'job_workflow_ref', 'ci_config_ref_uri'])

/** The claims among these that identify a caller of the issuer. */
function identityNames(issuer: string, claims: Claims): string[] {
  return IDENTITY_CLAIMS[platformOf({ issuer, claims })].filter((name) => textOf(claims[name]) !== null)
}

/** The claims to select by default when a call is allowed: the project's id, and the environment or else the ref. */
export function suggestedNames(issuer: string, claims: Claims): string[] {
  const names = identityNames(issuer, claims)
  const [first = '', ...rest] = names
  if (rest.includes('environment')) return [first, 'environment']
  return [first, ...rest.filter((name) => name === 'ref' || name === 'ref_protected')]
}

/** @throws DomainError invalid · trust_too_broad (`details.missing`) */
export function requireUsableRules(issuer: string, rules: ClaimRules, isBroad: boolean): void {
  for (const [name, values] of Object.entries(rules)) {
    if (REGISTERED_CLAIMS.has(name)) throw badClaims(`claims must not name ${name}`)
    for (const value of values)
      if (isPattern(name, value)) throw badClaims(`claims.${name} must be an exact text`)
  }
  const lacking = missing(platformOf({ issuer, claims: rules }), Object.keys(rules)).map(({ text }) => text)
  if (lacking.length === 0 || isBroad) return
  const message = `the trust is too broad: name ${lacking.join(', and ')}`
  throw new DomainError('trust_too_broad', message, { details: { missing: lacking } })
}

function badClaims(message: string): DomainError {
  return new DomainError('invalid', message, { details: { field: 'claims' } })
}

function isPattern(name: string, value: string): boolean {
  const exact = PATHS.has(name) && value.endsWith('/*') ? value.slice(0, -2) : value
  return /[*?]/.test(exact) || exact === ''
}

/** Names of the claims that are not what the rules say. */
export function differingClaims(issuer: string, rules: ClaimRules, claims: Claims): string[] {
  const differing = Object.entries(rules).flatMap(([name, values]) => {
    const text = textOf(claims[name])
    return text !== null && values.some((value) => isMatch(name, value, text)) ? [] : [name]
  })
  return isUnlistedFork(issuer, rules, claims) ? [...new Set([...differing, 'event_name'])] : differing
}

// A workflow of this event runs with the rights of the repository on what a stranger proposed.
function isUnlistedFork(issuer: string, rules: ClaimRules, claims: Claims): boolean {
  const isGitHub = platformOf({ issuer, claims: {} }) === 'github'
  const isFork = claims['event_name'] === 'pull_request_target'
  return isGitHub && isFork && rules['event_name']?.includes('pull_request_target') !== true
}

function isMatch(name: string, rule: string, text: string): boolean {
  if (PATHS.has(name) && rule.endsWith('/*')) {
    const prefix = rule.slice(0, -1)
    return text.startsWith(prefix) && text.length > prefix.length
  }
  return text === rule
}

/** A claim as text; null for what is neither text, number nor truth value. */
function textOf(claim: unknown): string | null {
  if (typeof claim === 'string') return claim
  return typeof claim === 'number' || typeof claim === 'boolean' ? JSON.stringify(claim) : null
}

/** The claims of an attempt that are kept: those with a text of ordinary length. */
export function shownClaims(claims: Claims): Record<string, string> {
  const texts = Object.entries(claims).flatMap(([name, claim]) => {
    const text = textOf(claim)
    return text === null || text.length > LIMITS.claimLength || name.length > LIMITS.claimLength
      ? []
      : [[name, text] as const]
  })
  return Object.fromEntries(texts.slice(0, MACHINE_LIMITS.shownClaims))
}

/** What tells one identity from another: the issuer and its identifying claims. */
export function identityText(issuer: string, claims: Claims): string {
  return JSON.stringify([
    issuer,
    ...identityNames(issuer, claims).map((name) => [name, textOf(claims[name])]),
  ])
}
