import { MACHINE_TIMES } from '@keyferry/contract/machines/limits'
import {
  GITHUB_ISSUER,
  GITLAB_ISSUER,
  missing,
  type Need,
  platformOf,
} from '@keyferry/contract/machines/trusts'
import type { Failure } from '../calls/failure.ts'
import type { MachineTrust, NewTrust } from './answers.ts'
import { keySetIn } from './key-set.ts'
import { networksIn } from './networks.ts'
import type { Platform } from './platforms.ts'

const { minIdTokenAgeSeconds: MIN_AGE, maxIdTokenAgeSeconds: MAX_AGE } = MACHINE_TIMES

/** What a person types to describe an identity. Which fields count depends on the platform. */
export type TrustForm = ReturnType<typeof emptyDraft>

type TrustField = keyof TrustForm

/** What is wrong, beside the field that it is about; `form`: what belongs to none of them. */
export type TrustProblems = Partial<Record<TrustField | 'form', string>>

export function emptyDraft(platform: Platform) {
  const issuers: Partial<Record<Platform, string>> = { github: GITHUB_ISSUER, gitlab: GITLAB_ISSUER }
  return {
    issuer: issuers[platform] ?? '',
    repositoryId: '',
    projectId: '',
    environment: '',
    ref: '',
    isProtected: true,
    workflow: '',
    namespace: '',
    serviceAccount: '',
    subject: '',
    /** `name=value`, one per line. */
    more: '',
    audience: '',
    keys: '',
    networks: '',
    maxAge: '',
    isBound: platform === 'github',
    isBroad: false,
  }
}

/** The trust that a draft describes, or what is wrong with the draft. */
export function trustOf(
  platform: Platform,
  draft: TrustForm,
): { trust: NewTrust } | { problems: TrustProblems } {
  const keys = keySetIn(draft.keys)
  const claims = claimsOf(platform, draft)
  const problems = problemsOf(platform, draft)
  if (typeof keys === 'string') problems.keys = keys
  if (claims === null) problems.more = 'Write one claim on each line, as name=value.'
  if (typeof keys === 'string' || claims === null || Object.keys(problems).length > 0) return { problems }
  const { audience, maxAge, networks } = draft
  return {
    trust: {
      issuer: draft.issuer.trim(),
      claims,
      binding: draft.isBound ? 'required' : 'possible',
      networks: networksIn(networks),
      ...(audience.trim() === '' ? {} : { audience: audience.trim() }),
      ...(keys === null ? {} : { keys }),
      ...(maxAge.trim() === '' ? {} : { max_age_seconds: Number(maxAge) }),
      ...(draft.isBroad ? { broad: true } : {}),
    },
  }
}

const ID_PROBLEM =
  'Give the number, not the name. Another person can take over the name of a deleted project.'

function problemsOf(platform: Platform, draft: TrustForm): TrustProblems {
  const { issuer, repositoryId, projectId, namespace, serviceAccount, maxAge, isBroad } = draft
  const problems: TrustProblems = {}
  if (!URL.canParse(issuer.trim())) problems.issuer = 'Give the address of the issuer, with https://.'
  if (platform === 'github' && !isId(repositoryId, isBroad)) problems.repositoryId = ID_PROBLEM
  if (platform === 'gitlab' && !isId(projectId, isBroad)) problems.projectId = ID_PROBLEM
  if (platform === 'kubernetes') {
    if (namespace.trim() === '') problems.namespace = 'Name the namespace.'
    if (serviceAccount.trim() === '') problems.serviceAccount = 'Name the service account.'
  }
  const seconds = Number(maxAge)
  if (maxAge.trim() !== '' && !(Number.isInteger(seconds) && seconds >= MIN_AGE && seconds <= MAX_AGE))
    problems.maxAge = `Use ${MIN_AGE} to ${MAX_AGE} seconds.`
  return problems
}

function isId(text: string, mayBeEmpty: boolean): boolean {
  return /^\d+$/.test(text.trim()) || (mayBeEmpty && text.trim() === '')
}

function claimsOf(platform: Platform, draft: TrustForm): MachineTrust['claims'] | null {
  const more = claimLines(draft.more)
  if (more === null) return null
  const own = Object.entries(OWN_CLAIMS[platform](draft)).filter(([, text]) => text !== '')
  const claims: MachineTrust['claims'] = {}
  for (const [name, text] of [...own, ...more]) claims[name] = [...(claims[name] ?? []), text]
  return claims
}

const OWN_CLAIMS: Readonly<Record<Platform, (draft: TrustForm) => Record<string, string>>> = {
  github: ({ repositoryId, environment, ref, workflow }) => ({
    repository_id: repositoryId.trim(),
    environment: environment.trim(),
    ref: fullRef(ref.trim()),
    job_workflow_ref: workflow.trim(),
  }),
  gitlab: ({ projectId, environment, ref, isProtected }) => ({
    project_id: projectId.trim(),
    environment: environment.trim(),
    ref: ref.trim(),
    ref_protected: ref.trim() !== '' && isProtected ? 'true' : '',
  }),
  kubernetes: ({ namespace, serviceAccount }) => ({
    sub: `system:serviceaccount:${namespace.trim()}:${serviceAccount.trim()}`,
  }),
  other: ({ subject }) => ({ sub: subject.trim() }),
}

// GitHub names a branch by its full ref; people type its name.
function fullRef(ref: string): string {
  return ref === '' || ref.startsWith('refs/') ? ref : `refs/heads/${ref}`
}

function claimLines(text: string): [string, string][] | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const claims = lines.map((line): [string, string] => {
    const [name = '', ...value] = line.split('=')
    return [name.trim(), value.join('=').trim()]
  })
  return claims.every(([name, value]) => name !== '' && value !== '') ? claims : null
}

type TrustFieldProblem = readonly [TrustField, string]

/** Where the form of a platform says what a trust lacks to be specific. */
const LACKING: Readonly<Record<Platform, Partial<Record<Need['name'], TrustFieldProblem>>>> = {
  github: {
    project: ['repositoryId', 'Name the repository by its id.'],
    place: ['environment', 'Name the environment, or the branch, or the workflow.'],
  },
  gitlab: {
    project: ['projectId', 'Name the project by its id.'],
    place: ['environment', 'Name the environment, or a protected branch or tag.'],
  },
  kubernetes: {},
  other: { subject: ['subject', 'Name the subject: the claim sub, exactly.'] },
}

/** A refusal of the server, beside the field of the platform's form that it is about. */
export function refusalOf(platform: Platform, draft: TrustForm, failure: Failure): TrustProblems {
  const { code, message, details } = failure
  if (code === 'target_refused') return { issuer: message }
  if (code === 'trust_too_broad') return lackingOf(platform, draft)
  if (details['field'] === 'networks') return { networks: message }
  return details['field'] === 'issuer' ? { issuer: message } : { form: message }
}

// An issuer that is typed into the form for others can be one of a known platform.
function lackingOf(platform: Platform, draft: TrustForm): TrustProblems {
  const claims = claimsOf(platform, draft) ?? {}
  const lacking = missing(platformOf({ issuer: draft.issuer.trim(), claims }), Object.keys(claims))
  return Object.fromEntries(
    lacking.map(({ name, text }) => LACKING[platform][name] ?? ['form', `Name ${text}.`]),
  )
}
