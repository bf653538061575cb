/*
 * How the ID tokens of a platform can prove a machine: which claims identify a caller, and which ones a trust has to
 * name so that it is specific. The API refuses by these rules, and the app's pages warn by them.
 */

export const GITHUB_ISSUER = 'https://token.actions.githubusercontent.com'
export const GITLAB_ISSUER = 'https://gitlab.com'

export type TrustPlatform = 'github' | 'gitlab' | 'kubernetes' | 'other'

type TokenIdentity = { issuer: string; claims: Readonly<Record<string, unknown>> }

/** Which platform an issuer belongs to, by its address or else by the claims of its tokens or of a trust in them. */
export function platformOf({ issuer, claims }: TokenIdentity): TrustPlatform {
  if (issuer === GITHUB_ISSUER || issuer.startsWith(`${GITHUB_ISSUER}/`)) return 'github'
  if (issuer === GITLAB_ISSUER || claims['project_id'] !== undefined) return 'gitlab'
  const subjects: unknown[] = [claims['sub']].flat()
  return subjects.some(isServiceAccount) ? 'kubernetes' : 'other'
}

function isServiceAccount(subject: unknown): boolean {
  return typeof subject === 'string' && subject.startsWith('system:serviceaccount:')
}

/** Claims that together identify a caller, the most telling first. */
export const IDENTITY_CLAIMS: Readonly<Record<TrustPlatform, readonly string[]>> = {
  github: ['repository_id', 'environment', 'ref', 'job_workflow_ref', 'event_name'],
  gitlab: ['project_id', 'environment', 'ref', 'ref_protected', 'ci_config_ref_uri'],
  kubernetes: ['sub'],
  other: ['sub'],
}

/** Claims of every token, which no trust can name. */
export const REGISTERED_CLAIMS: ReadonlySet<string> = new Set(['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'])

/** What a specific trust says: the project by an id that cannot be taken over, what in it may call, or the subject. */
export type Need = {
  name: 'project' | 'place' | 'subject'
  /** The claims, any of these sets of them. */
  ways: readonly (readonly string[])[]
  text: string
}

const SUBJECT: Need = { name: 'subject', ways: [['sub']], text: 'sub' }

const NEEDS: Readonly<Record<TrustPlatform, readonly Need[]>> = {
  github: [
    { name: 'project', ways: [['repository_id']], text: 'repository_id' },
    {
      name: 'place',
      ways: [['environment'], ['ref'], ['job_workflow_ref']],
      text: 'environment, ref or job_workflow_ref',
    },
  ],
  gitlab: [
    { name: 'project', ways: [['project_id']], text: 'project_id' },
    {
      name: 'place',
      ways: [['environment'], ['ref', 'ref_protected']],
      text: 'environment, or ref with ref_protected',
    },
  ],
  kubernetes: [SUBJECT],
  other: [SUBJECT],
}

/** What a trust that names these claims lacks to be specific; nothing if it is. */
export function missing(platform: TrustPlatform, names: readonly string[]): readonly Need[] {
  return NEEDS[platform].filter(({ ways }) => !ways.some((way) => way.every((name) => names.includes(name))))
}
