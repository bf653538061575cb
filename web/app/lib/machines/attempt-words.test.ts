import { GITHUB_ISSUER, GITLAB_ISSUER } from '@keyferry/contract/machines/trusts'
import { expect, test } from 'vitest'
import { callerWords, claimNames, dangersOf, reasonWords } from './attempt-words.ts'
import { issuerName } from './platforms.ts'

const GITHUB = {
  issuer: GITHUB_ISSUER,
  claims: {
    iss: GITHUB_ISSUER,
    repository: 'acme/web',
    repository_id: '789',
    environment: 'prod',
    ref: 'refs/heads/main',
    job_workflow_ref: 'acme/web/.github/workflows/deploy.yml@refs/heads/main',
    event_name: 'push',
  },
}
const GITLAB = {
  issuer: GITLAB_ISSUER,
  claims: { project_path: 'acme/web', project_id: '20', ref: 'main', ref_protected: 'true' },
}
const POD = {
  issuer: 'https://cluster.example',
  claims: { sub: 'system:serviceaccount:prod:billing' },
}

test.each([
  [GITHUB, 'GitHub Actions', 'acme/web (id 789) · deploy.yml · refs/heads/main · environment prod'],
  [GITLAB, 'GitLab CI', 'acme/web (id 20) · main'],
  [{ ...GITLAB, issuer: 'https://git.example' }, 'GitLab CI (git.example)', 'acme/web (id 20) · main'],
  [POD, 'Kubernetes (cluster.example)', 'prod/billing'],
  [
    { issuer: 'https://issuer.example', claims: { sub: 'job\u202E' } },
    'issuer.example',
    String.raw`job\u{202e}`,
  ],
  [
    { issuer: 'https://issuer.example', claims: { sub: `a${'b'.repeat(90)}` } },
    'issuer.example',
    `a${'b'.repeat(79)}…`,
  ],
])('%o is named', (attempt, issuer, caller) => {
  expect([issuerName(attempt), callerWords(attempt)]).toEqual([issuer, caller])
})

test('claims that identify the caller come first; those of every token cannot be chosen', () => {
  expect(claimNames(GITHUB)).toEqual({
    identity: ['repository_id', 'environment', 'ref', 'job_workflow_ref', 'event_name'],
    others: ['repository'],
  })
})

const SAFE = new Set(['repository_id', 'environment'])
const ofEvent = (event_name: string) => ({ ...GITHUB, claims: { ...GITHUB.claims, event_name } })

test.each([
  [GITHUB, SAFE, []],
  [GITHUB, new Set(['repository_id', 'job_workflow_ref']), []],
  [ofEvent('pull_request'), SAFE, [/pull request/]],
  [ofEvent('pull_request_target'), SAFE, [/pull_request_target/]],
  [GITHUB, new Set(['repository_id']), [/every job/]],
  [GITHUB, new Set(['environment']), [/take over the name/]],
  [GITLAB, new Set(['project_id', 'ref', 'ref_protected']), []],
  [GITLAB, new Set(['project_id', 'ref']), [/every job/]],
  [
    {
      ...GITLAB,
      claims: { ...GITLAB.claims, ref_protected: 'false', pipeline_source: 'merge_request_event' },
    },
    new Set(['project_id', 'ref', 'ref_protected']),
    [/merge request/, /not protected/],
  ],
  [POD, new Set(['sub']), []],
])('the dangers of %o by %o', (attempt, chosen, expected) => {
  const dangers = dangersOf(attempt, chosen)
  expect(dangers).toHaveLength(expected.length)
  for (const [index, pattern] of expected.entries()) expect(dangers[index]).toMatch(pattern)
})

test('why a call was refused', () => {
  expect(reasonWords('ref')).toBe('ref differs')
  expect(reasonWords('repository_id,ref')).toBe('repository_id, ref differ')
  expect(reasonWords('issuer')).toBe('this machine trusts no identity of this issuer')
  expect(reasonWords('binding,ref')).toBe('the ID token was not bound to the client; ref differs')
})
