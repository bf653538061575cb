import { counted } from '../words/counted.ts'
import { ago, ahead } from '../words/time.ts'
import type { Machine, MachineGrant, MachineToken } from './answers.ts'
import { issuerName } from './platforms.ts'

/** What a machine may do with a bundle. */
export const SCOPES: Readonly<Record<MachineGrant['scope'], string>> = {
  deliver: 'Fetch values',
  read: 'List names only',
}

/** Something about a machine that its owner should know: in a word or two, and in a sentence. */
export type Warning = { tone: 'danger' | 'caution' | 'plain'; name: string; text: string }

export type TokenState = 'works' | 'expiring' | 'expired' | 'ended'

export function tokenState({ ended_at, due }: MachineToken): TokenState {
  return ended_at === null ? (due ?? 'works') : 'ended'
}

/** The tokens that work, the newest first. */
function workingTokens({ tokens }: Pick<Machine, 'tokens'>): MachineToken[] {
  return tokens
    .filter((token) => ['works', 'expiring'].includes(tokenState(token)))
    .toSorted((one, other) => other.created_at.localeCompare(one.created_at))
}

/** How a machine proves itself, for example `GitHub Actions`, `2 tokens`. */
export function proofsOf(machine: Machine): string[] {
  const issuers = machine.trusts.map(issuerName)
  const tokens = workingTokens(machine).length
  return [...new Set(issuers), ...(tokens === 0 ? [] : [counted(tokens, 'token')])]
}

/** What is wrong with a machine or will be soon, the worst first. */
export function warningsOf(machine: Machine, nowMs?: number): Warning[] {
  const { is_active, grants, trusts } = machine
  const inactive: Warning = {
    tone: 'caution',
    name: 'Disabled',
    text: 'The server refuses every call of this machine until an owner enables it.',
  }
  const broad: Warning = {
    tone: 'danger',
    name: 'Broad identity',
    text: 'An owner allowed an identity that is not specific. More jobs than intended can act as this machine.',
  }
  const noValues: Warning =
    grants.length === 0
      ? { tone: 'caution', name: 'No bundles', text: 'It cannot fetch values. Add a bundle.' }
      : { tone: 'plain', name: 'Names only', text: 'It lists names and cannot fetch values.' }
  return [
    ...(is_active ? [] : [inactive]),
    ...(trusts.some(({ is_broad }) => is_broad) ? [broad] : []),
    ...proofWarnings(machine, nowMs),
    ...(grants.some(({ scope }) => scope === 'deliver') ? [] : [noValues]),
    ...neverUsed(machine, nowMs),
  ]
}

function proofWarnings(machine: Machine, nowMs?: number): Warning[] {
  const working = workingTokens(machine)
  if (machine.trusts.length === 0 && working.length === 0) return [noProof(machine)]
  return working
    .filter((token) => tokenState(token) === 'expiring' && !isReplaced(token, working))
    .map(({ hint, expires_at }) => ({
      tone: 'caution',
      name: 'Token expires',
      text: `The token that ends in ${hint} expires ${ahead(expires_at, nowMs)}. Rotate it.`,
    }))
}

// A rotation creates a token with the same networks and lets the old one expire soon.
function isReplaced(token: MachineToken, working: readonly MachineToken[]): boolean {
  const networks = token.networks.join(' ')
  return working.some((each) => each.created_at > token.created_at && each.networks.join(' ') === networks)
}

function noProof({ tokens }: Machine): Warning {
  if (tokens.some((token) => tokenState(token) === 'expired'))
    return { tone: 'danger', name: 'Token expired', text: 'Its token has expired. Create a new one.' }
  return {
    tone: 'caution',
    name: 'Cannot sign in',
    text: 'It has no way to prove itself. Add an identity, or create a token.',
  }
}

function neverUsed({ last_delivery_at, created_at }: Machine, nowMs?: number): Warning[] {
  if (last_delivery_at !== null) return []
  const text = `It has fetched nothing since it was created ${ago(created_at, nowMs)}.`
  return [{ tone: 'plain', name: 'Never used', text }]
}
