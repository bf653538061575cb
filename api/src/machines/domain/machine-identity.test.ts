import { GITHUB_ISSUER as GITHUB } from '@keyferry/contract/machines/trusts'
import { expect, test } from 'vitest'
import type { IdTokens } from './id-token.ts'
import type { NewAttempt } from './machine.ts'
import { type ClaimedMachine, type IdentityParts, trustProvedBy } from './machine-identity.ts'

const NOW = new Date('2026-06-01T00:00:00Z')
const AUDIENCE = 'https://keyferry.example.com'
const SECONDS = NOW.getTime() / 1_000
const CLAIMS = { iss: GITHUB, aud: AUDIENCE, sub: 'x', iat: SECONDS, exp: SECONDS + 300, repository_id: '74' }
const NAMED = { workspace: { id: 't', name: 'w' }, machine: { id: 'm', name: 'ci' } }
const MACHINE: ClaimedMachine = { ...NAMED, isActive: true, readsAudit: false, trusts: [] }
const CALL = { token: 'a.b.c', address: '192.0.2.1', clientKey: new Uint8Array(32) }

/** An issuer whose tokens verify to these claims, and a list of what is noted. */
function parts(issuer: string, verify: IdTokens['verify'] = async () => CLAIMS) {
  const noted: NewAttempt[] = []
  const asked: string[] = []
  const idTokens: IdTokens = {
    issuerOf: () => issuer,
    verify: (token, from) => {
      asked.push(from.issuer)
      return verify(token, from)
    },
  }
  const noteAttempt: IdentityParts['noteAttempt'] = async (_tenant, attempt) => {
    noted.push(attempt)
  }
  const clock = { now: () => NOW, newId: () => 'id', newToken: () => 'token' }
  const all: IdentityParts = { idTokens, noteAttempt, clock, audience: AUDIENCE }
  return { all, noted, asked }
}

test('a machine without a trust lists the calls of known platforms as attempts', async () => {
  const { all, noted } = parts(GITHUB)
  await expect(trustProvedBy(all, MACHINE, CALL)).rejects.toMatchObject({
    code: 'identity_not_trusted',
    details: { differs: ['issuer'], seen: { repository_id: '74' } },
  })
  expect(noted).toMatchObject([{ issuer: GITHUB, reason: 'issuer', is_bound: false }])
})

test('an unknown issuer is refused before it is asked for anything', async () => {
  const { all, noted, asked } = parts('https://issuer.example.com')
  await expect(trustProvedBy(all, MACHINE, CALL)).rejects.toMatchObject({ code: 'unauthorized' })
  expect([noted, asked]).toEqual([[], []])
})

test('a token of a known platform for another service adds no attempt', async () => {
  const { all, noted } = parts(GITHUB, async () => ({ ...CLAIMS, aud: 'sts.amazonaws.com' }))
  await expect(trustProvedBy(all, MACHINE, CALL)).rejects.toMatchObject({ code: 'identity_not_trusted' })
  expect(noted).toEqual([])
})

test.each([
  ['issuer_unavailable', 'issuer_unavailable'],
  ['expired', 'token_expired'],
  ['invalid', 'unauthorized'],
] as const)('a token whose verification ends in %s is refused as %s', async (problem, code) => {
  const { all } = parts(GITHUB, async () => problem)
  await expect(trustProvedBy(all, MACHINE, CALL)).rejects.toMatchObject({ code })
})
