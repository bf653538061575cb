import { GITHUB_ISSUER } from '@keyferry/contract/machines/trusts'
import { describe, expect, test } from 'vitest'
import { keySetIn } from './key-set.ts'
import { emptyDraft, refusalOf, trustOf } from './trust-draft.ts'

const failure = (code: string, details: Record<string, unknown>) => ({
  status: 400,
  code,
  message: 'The message.',
  details,
})

describe('a draft becomes a trust', () => {
  test('of GitHub, whose branches have full names', () => {
    const draft = { ...emptyDraft('github'), repositoryId: ' 789 ', environment: 'prod', ref: 'main' }
    expect(trustOf('github', draft)).toEqual({
      trust: {
        issuer: 'https://token.actions.githubusercontent.com',
        claims: { repository_id: ['789'], environment: ['prod'], ref: ['refs/heads/main'] },
        binding: 'required',
        networks: [],
      },
    })
    const tag = trustOf('github', { ...draft, ref: 'refs/tags/*' })
    expect(tag).toMatchObject({ trust: { claims: { ref: ['refs/tags/*'] } } })
    expect(trustOf('github', { ...draft, isBroad: true })).toMatchObject({ trust: { broad: true } })
  })

  test('of GitLab, whose branch must be protected unless the owner says otherwise', () => {
    const draft = { ...emptyDraft('gitlab'), projectId: '20', ref: 'main' }
    const claims = { project_id: ['20'], ref: ['main'] }
    expect(trustOf('gitlab', draft)).toMatchObject({
      trust: {
        issuer: 'https://gitlab.com',
        claims: { ...claims, ref_protected: ['true'] },
        binding: 'possible',
      },
    })
    const open = trustOf('gitlab', { ...draft, isProtected: false })
    expect(open).toMatchObject({ trust: { claims } })
    expect(JSON.stringify(open)).not.toContain('ref_protected')
  })

  test('of Kubernetes, with pasted keys and limits', () => {
    const draft = {
      ...emptyDraft('kubernetes'),
      issuer: 'https://kubernetes.default.svc',
      namespace: 'prod',
      serviceAccount: 'billing',
      audience: 'https://keyferry.example',
      keys: '{"keys": [{"kty": "RSA", "n": "1", "e": "AQAB"}]}',
      networks: '10.0.0.0/8, 192.168.1.1',
      maxAge: '600',
    }
    expect(trustOf('kubernetes', draft)).toEqual({
      trust: {
        issuer: 'https://kubernetes.default.svc',
        claims: { sub: ['system:serviceaccount:prod:billing'] },
        binding: 'possible',
        networks: ['10.0.0.0/8', '192.168.1.1'],
        audience: 'https://keyferry.example',
        keys: { keys: [{ kty: 'RSA', n: '1', e: 'AQAB' }] },
        max_age_seconds: 600,
      },
    })
  })

  test('of another issuer, whose claims can have several values', () => {
    const more = 'project=a\nproject=b=c\n\n'
    const draft = { ...emptyDraft('other'), issuer: 'https://issuer.example', subject: 'job', more }
    expect(trustOf('other', draft)).toMatchObject({
      trust: { claims: { sub: ['job'], project: ['a', 'b=c'] } },
    })
  })
})

describe('what is wrong is said beside its field', () => {
  test.each([
    ['github', { repositoryId: 'acme/web' }, 'repositoryId'],
    ['gitlab', { projectId: '' }, 'projectId'],
    ['gitlab', { projectId: '20', issuer: 'gitlab' }, 'issuer'],
    ['kubernetes', { issuer: 'https://a.example', namespace: 'prod' }, 'serviceAccount'],
    ['other', { issuer: 'https://a.example', more: 'project' }, 'more'],
    ['other', { issuer: 'https://a.example', keys: '[]' }, 'keys'],
    ['other', { issuer: 'https://a.example', maxAge: '5' }, 'maxAge'],
  ] as const)('%s %o', (platform, change, field) => {
    const outcome = trustOf(platform, { ...emptyDraft(platform), ...change })
    expect(Object.keys('problems' in outcome ? outcome.problems : {})).toEqual([field])
  })

  test.each([
    ['target_refused', {}, ['issuer']],
    ['invalid', { field: 'networks' }, ['networks']],
    ['conflict', {}, ['form']],
  ])('the server refuses with %s %o', (code, details, fields) => {
    const refusal = failure(code, details)
    expect(Object.keys(refusalOf('github', emptyDraft('github'), refusal))).toEqual(fields)
  })

  test.each([
    ['github', {}, ['repositoryId', 'environment']],
    ['github', { repositoryId: '1' }, ['environment']],
    ['gitlab', { projectId: '20', ref: 'main', isProtected: false }, ['environment']],
    ['other', {}, ['subject']],
    ['other', { issuer: GITHUB_ISSUER, subject: 'job' }, ['form']],
  ] as const)('a trust in %s that is too broad: %o', (platform, change, fields) => {
    const refusal = failure('trust_too_broad', { missing: ['any words'] })
    const draft = { ...emptyDraft(platform), ...change }
    expect(Object.keys(refusalOf(platform, draft, refusal))).toEqual(fields)
  })
})

test('a key set without private keys is taken', () => {
  expect(keySetIn(' ')).toBeNull()
  expect(keySetIn('{"keys": [{"kty": "EC"}]}')).toEqual({ keys: [{ kty: 'EC' }] })
  expect(keySetIn('{"keys": [{"kty": "EC", "d": "x"}]}')).toMatch(/private keys/)
  expect(keySetIn('{"keys": []}')).toMatch(/whole key set/)
  expect(keySetIn('{"keys": ["EC"]}')).toMatch(/whole key set/)
  expect(keySetIn('no JSON')).toMatch(/whole key set/)
})
