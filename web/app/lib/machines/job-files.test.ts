import { GITHUB_ISSUER, GITLAB_ISSUER } from '@keyferry/contract/machines/trusts'
import { describe, expect, test } from 'vitest'
import { parseAllDocuments } from 'yaml'
import type { MachineTrust } from './answers.ts'
import { type JobPlace, jobFiles } from './job-files.ts'

const SERVER = 'https://keys.acme.example'
const MACHINE = '11111111-2222-4333-8444-555555555555'

function trust(issuer: string, claims: Record<string, string>, audience = SERVER): MachineTrust {
  const lists = Object.entries(claims).map(([name, text]): [string, string[]] => [name, [text]])
  return {
    id: 'trust',
    issuer,
    audience,
    claims: Object.fromEntries(lists),
    binding: 'possible',
    networks: [],
    max_age_seconds: null,
    is_broad: false,
    has_keys: false,
    created_by: 'someone',
    created_at: '2026-06-01T12:00:00.000Z',
    last_used_at: null,
  }
}

function place(...trusts: MachineTrust[]): JobPlace {
  return { server: SERVER, machine: { id: MACHINE, name: 'deploy', trusts }, bundle: 'live/shop' }
}

const text = (way: Parameters<typeof jobFiles>[0], where: JobPlace) => jobFiles(way, where)[0]?.text ?? ''
const documents = (yaml: string) => parseAllDocuments(yaml).map((document) => document.toJS())

test.each(['github', 'gitlab', 'kubernetes', 'other', 'token'] as const)(
  'the files for %s name the server, the bundle and nothing of the example',
  (way) => {
    const all = jobFiles(way, place())
      .map((file) => file.text)
      .join('\n')
    expect(all).toContain(SERVER)
    expect(all).toContain('live/shop')
    expect(all).not.toMatch(/keyferry\.example\.com|6f1c8a52|prod\/billing/)
    expect(all.includes(MACHINE)).toBe(way !== 'token')
  },
)

const workflow = (...trusts: MachineTrust[]) => documents(text('github', place(...trusts)))[0]

describe('the workflow for GitHub', () => {
  test('runs where the identity is', () => {
    const claims = { repository_id: '1', environment: 'live: "eu"', ref: 'refs/heads/release/*' }
    const { on, jobs } = workflow(trust(GITHUB_ISSUER, claims))
    expect(on.push).toEqual({ branches: ['release/**'] })
    expect(jobs.deploy.environment).toBe('live: "eu"')
    expect(jobs.deploy.steps[1].with).toMatchObject({ server: SERVER, machine: MACHINE, bundle: 'live/shop' })
  })

  test('names no environment if the identity has none', () => {
    const { on, jobs } = workflow(trust(GITHUB_ISSUER, { repository_id: '1', ref: 'refs/tags/v1' }))
    expect([on.push, jobs.deploy.environment]).toEqual([{ tags: ['v1'] }, undefined])
  })

  test('is the example until there is an identity', () => {
    const { on, jobs } = workflow()
    expect([on.push, jobs.deploy.environment]).toEqual([{ branches: ['main'] }, 'prod'])
  })
})

test('the pipeline for GitLab runs on the ref of the identity, with its audience', () => {
  const identity = trust(GITLAB_ISSUER, { project_id: '2', ref: 'main', ref_protected: 'true' }, 'keyferry')
  const [job, template] = jobFiles('gitlab', place(identity))
  const [pipeline] = documents(job?.text ?? '')
  expect(pipeline.variables).toEqual({ KEYFERRY_SERVER: SERVER, KEYFERRY_MACHINE: MACHINE })
  expect(pipeline.deploy.rules).toEqual([{ if: '$CI_COMMIT_REF_NAME == "main"' }])
  expect(pipeline.deploy.environment).toBeUndefined()
  expect(documents(template?.text ?? '')[0]['.keyferry'].id_tokens.KEYFERRY_ID_TOKEN.aud).toBe('keyferry')
})

test('the manifests for Kubernetes name the service account and the audience', () => {
  const identity = trust('https://cluster.example', { sub: 'system:serviceaccount:live:shop' }, 'keyferry')
  const [account, deployment] = documents(text('kubernetes', place(identity)))
  expect(account.metadata).toEqual({ name: 'shop', namespace: 'live' })
  const { spec } = deployment.spec.template
  expect(spec.serviceAccountName).toBe('shop')
  expect(spec.initContainers[0].args).toContain('live/shop')
  expect(spec.volumes[0].projected.sources[0].serviceAccountToken.audience).toBe('keyferry')
})

test('no claim breaks out of its place', () => {
  const environment = 'x\nrun: evil $& #'
  const github = documents(text('github', place(trust(GITHUB_ISSUER, { repository_id: '1', environment }))))
  expect(github[0].jobs.deploy.environment).toBe(environment)
  const ref = 'it\'s "$&"'
  const gitlab = documents(text('gitlab', place(trust(GITLAB_ISSUER, { project_id: '1', ref }))))
  expect(gitlab[0].deploy.rules[0].if).toContain('$CI_COMMIT_REF_NAME == "it\'s')
  const branch = "a$'b$&"
  const pushed = trust(GITHUB_ISSUER, { repository_id: '1', ref: `refs/heads/${branch}` })
  expect(documents(text('github', place(pushed)))[0].on.push).toEqual({ branches: [branch] })
})

test('no audience breaks out of its place', () => {
  const audience = 'keys\n  script: evil # $&'
  const [, template] = jobFiles('gitlab', place(trust(GITLAB_ISSUER, { project_id: '1' }, audience)))
  expect(documents(template?.text ?? '')[0]['.keyferry'].id_tokens.KEYFERRY_ID_TOKEN.aud).toBe(audience)
  const other = text('other', place(trust('https://issuer.example', { sub: 'job' }, 'keys\nrm -rf .')))
  expect(other).not.toMatch(/^rm/m)
})
