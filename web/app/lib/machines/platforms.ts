import {
  GITHUB_ISSUER,
  GITLAB_ISSUER,
  platformOf,
  type TrustPlatform,
} from '@keyferry/contract/machines/trusts'
import { visibleText } from '../words/visible-text.ts'
import type { MachineTrust } from './answers.ts'

/** Where a machine runs: it decides how the machine proves itself. */
export type Platform = TrustPlatform

export const PLATFORM_NAMES: Readonly<Record<Platform, string>> = {
  github: 'GitHub Actions',
  gitlab: 'GitLab CI',
  kubernetes: 'Kubernetes',
  other: 'Another OpenID Connect issuer',
}

/** How a machine can prove itself: by the ID tokens of a platform, or by a token that Keyferry issues. */
export type ProofWay = Platform | 'token'

export const WAYS: Readonly<Record<ProofWay, string>> = { ...PLATFORM_NAMES, token: 'A token from Keyferry' }

/** The way that a text names; null for any other text. */
export function wayNamed(text: string): ProofWay | null {
  return (Object.keys(WAYS) as ProofWay[]).find((way) => way === text) ?? null
}

type PlatformIdentity = Pick<MachineTrust, 'issuer'> & {
  claims: Readonly<Record<string, string | readonly string[]>>
}

/** What people call an issuer: `GitHub Actions`, `GitLab CI (git.example.com)`, `issuer.example.com`. */
export function issuerName(identity: PlatformIdentity): string {
  const platform = platformOf(identity)
  const host = visibleText(hostOf(identity.issuer), 80)
  if (platform === 'other') return host
  const isUsual = identity.issuer === GITHUB_ISSUER || identity.issuer === GITLAB_ISSUER
  return isUsual ? PLATFORM_NAMES[platform] : `${PLATFORM_NAMES[platform]} (${host})`
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer
}
