import {
  IDENTITY_CLAIMS,
  missing,
  type Need,
  platformOf,
  REGISTERED_CLAIMS,
  type TrustPlatform,
} from '@keyferry/contract/machines/trusts'
import { exactText } from '../words/visible-text.ts'
import type { MachineAttempt } from './answers.ts'

type AttemptFacts = Pick<MachineAttempt, 'issuer' | 'claims'>

/** The names of an attempt's claims that a trust can demand: those that identify the caller, and the others. */
export function claimNames({ issuer, claims }: AttemptFacts): { identity: string[]; others: string[] } {
  const identity = IDENTITY_CLAIMS[platformOf({ issuer, claims })].filter(
    (name) => claims[name] !== undefined,
  )
  const others = Object.keys(claims)
    .filter((name) => !REGISTERED_CLAIMS.has(name) && !identity.includes(name))
    .toSorted()
  return { identity, others }
}

/** What an owner allows by the claims of these names. In one order, because another owner may sign the same call. */
export function seenOf({ issuer, claims }: AttemptFacts, names: Iterable<string>) {
  const seen = [...names].toSorted().map((name) => [name, claims[name] ?? ''] as const)
  return { issuer, claims: Object.fromEntries(seen) }
}

/** Who called, in a few words: `acme/web (id 789) · deploy.yml · refs/heads/main · environment prod`. */
export function callerWords({ issuer, claims }: AttemptFacts): string {
  const text = (name: string) => shortened(exactText(claims[name] ?? ''))
  const worded = (name: string, word: string) => (text(name) === '' ? '' : `${word} ${text(name)}`)
  const words = {
    github: [
      withId(text('repository'), text('repository_id')),
      fileOf(text('job_workflow_ref')),
      text('ref'),
      worded('environment', 'environment'),
    ],
    gitlab: [
      withId(text('project_path'), text('project_id')),
      text('ref'),
      worded('environment', 'environment'),
    ],
    kubernetes: [text('sub').split(':').slice(2).join('/')],
    other: [text('sub')],
  }
  return words[platformOf({ issuer, claims })].filter((word) => word !== '').join(' · ')
}

function shortened(text: string): string {
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function withId(name: string, id: string): string {
  if (name === '') return id === '' ? '' : `id ${id}`
  return id === '' ? name : `${name} (id ${id})`
}

// acme/web/.github/workflows/deploy.yml@refs/heads/main
function fileOf(workflow: string): string {
  return workflow.split('@', 1)[0]?.split('/').at(-1) ?? ''
}

/** Why it is dangerous to allow an attempt by the chosen claims, the worst first. */
export function dangersOf({ issuer, claims }: AttemptFacts, chosen: ReadonlySet<string>): string[] {
  const platform = platformOf({ issuer, claims })
  const lacking = missing(platform, [...chosen]).map(({ name }) => LACKING[name] ?? '')
  return [...(DANGERS[platform]?.(claims) ?? []), ...lacking].filter((danger) => danger !== '')
}

type ClaimTexts = MachineAttempt['claims']

function githubDangers(claims: ClaimTexts): string[] {
  const event = claims['event_name']
  const isPullRequest = event === 'pull_request' || claims['ref']?.startsWith('refs/pull/') === true
  return [
    event === 'pull_request_target'
      ? 'This job ran for pull_request_target: it runs with the rights of the repository on a stranger’s change. Keyferry refuses it unless you also choose event_name.'
      : '',
    isPullRequest
      ? 'This job ran for a pull request. Everyone who can open one in this repository can get the values.'
      : '',
  ]
}

const MERGE_REQUESTS = new Set(['merge_request_event', 'external_pull_request_event'])

function gitlabDangers(claims: ClaimTexts): string[] {
  return [
    MERGE_REQUESTS.has(claims['pipeline_source'] ?? '')
      ? 'This job ran for a merge request. Everyone who can open one in this project can get the values.'
      : '',
    claims['ref_protected'] === 'false'
      ? 'This branch or tag is not protected. Every developer of the project can write to it.'
      : '',
  ]
}

const DANGERS: Partial<Record<TrustPlatform, (claims: ClaimTexts) => string[]>> = {
  github: githubDangers,
  gitlab: gitlabDangers,
}

/** What it means that a trust is not specific. */
const LACKING: Partial<Record<Need['name'], string>> = {
  project: 'Without the id, another person can take over the name and be this machine.',
  place: 'Without an environment or a branch, every job of the project is this machine.',
}

const DIFFERENCES: Readonly<Record<string, string>> = {
  issuer: 'this machine trusts no identity of this issuer',
  aud: 'the audience is another one',
  iat: 'the ID token was too old',
  exp: 'the ID token is valid for too long',
  network: 'the call came from another network',
  binding: 'the ID token was not bound to the client',
}

/** Why the call was refused, from the names of what differs. */
export function reasonWords(reason: string): string {
  const names = reason.split(',').map((name) => name.trim())
  const claims = names.filter((name) => name !== '' && DIFFERENCES[name] === undefined)
  const words = names.flatMap((name) => DIFFERENCES[name] ?? [])
  const differing =
    claims.length === 0 ? [] : [`${claims.join(', ')} ${claims.length === 1 ? 'differs' : 'differ'}`]
  return [...words, ...differing].join('; ')
}
