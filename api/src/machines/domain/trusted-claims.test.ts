import { GITHUB_ISSUER as GITHUB, GITLAB_ISSUER as GITLAB } from '@keyferry/contract/machines/trusts'
import { expect, test } from 'vitest'
import { differingClaims } from './trusted-claims.ts'

/** Claim, what the trust demands, what the token says, and whether that fits. */
const CASES: [string, string, unknown, boolean][] = [
  ['ref', 'refs/heads/main', 'refs/heads/main', true],
  ['ref', 'refs/heads/main', 'refs/heads/main2', false],
  ['ref', 'refs/heads/main', 'refs/heads/mai', false],
  ['ref', 'refs/heads/main', 'refs/heads/Main', false],
  ['ref', 'refs/heads/main', ' refs/heads/main', false],
  ['ref', 'main', 'refs/heads/main', false],
  ['ref', 'refs/heads/*', 'refs/heads/main', true],
  ['ref', 'refs/heads/*', 'refs/heads/a/b', true],
  ['ref', 'refs/heads/*', 'refs/heads/', false],
  ['ref', 'refs/heads/*', 'refs/heads', false],
  ['ref', 'refs/heads/*', 'refs/tags/v1', false],
  ['ref', 'refs/heads/*', 'refs/heads-old/main', false],
  ['ref', 'refs/heads/release/*', 'refs/heads/releases/1', false],
  ['ref', 'refs/heads/*', 'x/refs/heads/main', false],
  ['ref_path', 'refs/heads/*', 'refs/heads/main', true],
  ['environment', 'production', 'production', true],
  ['environment', 'prod', 'production', false],
  ['environment', 'production', 'prod', false],
  ['environment', 'prod/*', 'prod/eu', false],
  ['sub', 'job/*', 'job/1', false],
  ['repository_id', '74', 74, true],
  ['repository_id', '74', '740', false],
  ['repository_id', '74', 7, false],
  ['repository_id', '74', ['74'], false],
  ['repository_id', '74', { id: '74' }, false],
  ['repository_id', '74', null, false],
  ['repository_id', '74', undefined, false],
  ['ref_protected', 'true', true, true],
  ['ref_protected', 'true', false, false],
]

test.each(CASES)('the claim %s: %s demanded, %j said: fits %s', (name, demanded, said, fits) => {
  expect(differingClaims(GITLAB, { [name]: [demanded] }, { [name]: said })).toEqual(fits ? [] : [name])
})

test('every claim must fit, each with one of its texts', () => {
  const rules = { repository_id: ['74', '75'], environment: ['production'] }
  expect(differingClaims(GITHUB, rules, { repository_id: '75', environment: 'production' })).toEqual([])
  expect(differingClaims(GITHUB, rules, { repository_id: '75', environment: 'test' })).toEqual([
    'environment',
  ])
  expect(differingClaims(GITHUB, rules, { environment: 'production' })).toEqual(['repository_id'])
})

test('what a stranger proposed to a GitHub repository fits only where the trust lists its event', () => {
  const claims = { repository_id: '74', event_name: 'pull_request_target' }
  expect(differingClaims(GITHUB, { repository_id: ['74'] }, claims)).toEqual(['event_name'])
  expect(differingClaims(`${GITHUB}/acme`, { repository_id: ['74'] }, claims)).toEqual(['event_name'])
  expect(
    differingClaims(GITHUB, { repository_id: ['74'], event_name: ['pull_request_target'] }, claims),
  ).toEqual([])
})
