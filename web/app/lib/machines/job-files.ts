import { platformOf } from '@keyferry/contract/machines/trusts'
import action from '../../../../deploy/ci/github/action.yml?raw'
import workflow from '../../../../deploy/ci/github/example-workflow.yml?raw'
import pipeline from '../../../../deploy/ci/gitlab/example.gitlab-ci.yml?raw'
import template from '../../../../deploy/ci/gitlab/keyferry.yml?raw'
import manifests from '../../../../deploy/ci/kubernetes/billing.yaml?raw'
import type { Machine, MachineTrust } from './answers.ts'
import type { ProofWay } from './platforms.ts'

/*
 * The files that let a job be a machine: those of deploy/ci with the place's own names instead of the example's.
 */

export type JobPlace = {
  server: string
  machine: Pick<Machine, 'id' | 'name' | 'trusts'>
  /** A bundle's name. */
  bundle: string
}

/** `isShared`: the same for every machine, so a repository needs it once. */
export type JobFile = { path: string; text: string; isShared: boolean }

/** The files for a machine that proves itself in this way. */
export function jobFiles(way: ProofWay, place: JobPlace): JobFile[] {
  return FILES[way](place, place.machine.trusts.find((trust) => platformOf(trust) === way) ?? null)
}

type Files = (place: JobPlace, trust: MachineTrust | null) => JobFile[]

const FILES: Readonly<Record<ProofWay, Files>> = {
  github: (place, trust) => [
    file('.github/workflows/deploy.yml', onGitHub(filled(workflow, place), trust)),
    shared('.github/actions/keyferry/action.yml', action),
  ],
  gitlab: (place, trust) => [
    file('.gitlab-ci.yml', onGitLab(filled(pipeline, place), trust)),
    shared(
      'keyferry.yml',
      template.replace('$KEYFERRY_SERVER\n', () => `${scalar(audienceFor(place, trust))}\n`),
    ),
  ],
  kubernetes: (place, trust) => [file('keyferry.yaml', onKubernetes(manifests, place, trust))],
  other: (place, trust) => [
    file(
      'start.sh',
      script(place, [
        `# Write an ID token for the audience ${scalar(audienceFor(place, trust))} to this file before each start.`,
        `export KEYFERRY_MACHINE=${place.machine.id}`,
        'export KEYFERRY_ID_TOKEN_FILE=/run/id-token',
      ]),
    ),
  ],
  token: (place) => [
    file(
      'start.sh',
      script(place, [
        '# Only the service can read this file. It has the token.',
        'export KEYFERRY_TOKEN_FILE=/etc/keyferry/token',
      ]),
    ),
  ],
}

function file(path: string, text: string): JobFile {
  return { path, text, isShared: false }
}

function shared(path: string, text: string): JobFile {
  return { path, text, isShared: true }
}

// What the files of deploy/ci name.
const SERVER = 'https://keyferry.example.com'
const MACHINE = '6f1c8a52-4d0b-4e2f-9a37-5c1e8b0d9f64'
const BUNDLE = 'prod/billing'

function filled(text: string, { server, machine, bundle }: JobPlace): string {
  return text.replaceAll(SERVER, server).replaceAll(MACHINE, machine.id).replaceAll(BUNDLE, bundle)
}

function onGitHub(text: string, trust: MachineTrust | null): string {
  return withEnvironment(text, trust).replace('branches: [main]', () => triggerOf(claim(trust, 'ref')))
}

// Without a trust, or with one that names no place to push to, the example's branch stays.
function triggerOf(ref: string | null): string {
  const [, kind, name = ''] = /^refs\/(heads|tags)\/(.+)$/.exec(ref ?? '') ?? []
  if (kind === undefined) return 'branches: [main]'
  // A final /* matches any depth in a trust; in a workflow, /** does.
  return `${kind === 'heads' ? 'branches' : 'tags'}: [${scalar(name.replace(/\*$/, '**'))}]`
}

function onGitLab(text: string, trust: MachineTrust | null): string {
  const ref = claim(trust, 'ref')
  const rule = ref === null || ref.endsWith('/*') ? null : `$CI_COMMIT_REF_NAME == ${JSON.stringify(ref)}`
  const withRule =
    rule === null ? text : text.replace(/(?<=- if: ).*/, () => `'${rule.replaceAll("'", "''")}'`)
  return withEnvironment(withRule, trust)
}

function withEnvironment(text: string, trust: MachineTrust | null): string {
  const environment = claim(trust, 'environment')
  if (trust === null) return text
  const line = /^ +environment: prod\n/m
  return environment === null
    ? text.replace(line, '')
    : text.replace(/(?<=environment: )prod/, () => scalar(environment))
}

function onKubernetes(text: string, place: JobPlace, trust: MachineTrust | null): string {
  const [, , namespace = 'prod', account = 'billing'] = claim(trust, 'sub')?.split(':') ?? []
  const names: Readonly<Record<string, string>> = {
    [`audience: ${SERVER}`]: `audience: ${scalar(audienceFor(place, trust))}`,
    [SERVER]: place.server,
    [MACHINE]: place.machine.id,
    [BUNDLE]: place.bundle,
    'namespace: prod': `namespace: ${scalar(namespace)}`,
    billing: scalar(account),
  }
  const known = new RegExp(Object.keys(names).map(escaped).join('|'), 'g')
  return text.replace(known, (name) => names[name] ?? name)
}

function script({ server, bundle }: JobPlace, lines: readonly string[]): string {
  const all = [
    '#!/bin/sh',
    `export KEYFERRY_SERVER=${server}`,
    ...lines,
    `exec keyferry run --as machine ${bundle} -- ./server`,
  ]
  return `${all.join('\n')}\n`
}

// GitLab and Kubernetes fix the audience before the job runs, so it must be what the trust expects.
function audienceFor({ server }: JobPlace, trust: MachineTrust | null): string {
  return trust?.audience ?? server
}

function claim(trust: MachineTrust | null, name: string): string | null {
  return trust?.claims[name]?.[0] ?? null
}

/** A text as a YAML scalar: quoted unless it is made of plain characters. */
function scalar(text: string): string {
  return /^[A-Za-z][\w./:-]*$/.test(text) && !text.endsWith(':') ? text : JSON.stringify(text)
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&')
}
