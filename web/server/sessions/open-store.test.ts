import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { endSessionsOf, openSessionStore } from './open-store.ts'
import type { Session } from './session-store.ts'
import { Sessions } from './sessions.ts'

let dataDir: string
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'keyferry-sessions-'))
})
afterAll(() => rmSync(dataDir, { recursive: true }))

const sessionOf = (facts: Pick<Session, 'tokenHash' | 'idpUserId'> & Partial<Session>): Session => ({
  way: 'accounts',
  userId: 'u',
  personalTenantId: 't',
  tenantId: 't',
  providerSessionId: null,
  idToken: null,
  epoch: 0,
  userAgent: '',
  createdAtMs: Date.now(),
  lastSeenAtMs: Date.now(),
  ...facts,
})

test('an operator ends only the sessions of the named people; without a store there are none', async () => {
  const place = { redisUrl: null, dataDir }
  expect(await endSessionsOf(place, ['user_a'])).toBe(false)
  const store = await openSessionStore(place, { now: Date.now, onError: () => undefined })
  for (const idpUserId of ['user_a', 'user_b', 'user_c'])
    await store.create(sessionOf({ tokenHash: idpUserId, idpUserId }))
  expect(await endSessionsOf(place, ['user_a', 'user_c'])).toBe(true)
  const found = ['user_a', 'user_b', 'user_c'].map(async (hash) => await store.find(hash, Date.now(), false))
  expect((await Promise.all(found)).map((session) => session?.idpUserId)).toEqual([
    undefined,
    'user_b',
    undefined,
  ])
  await store.close()
})

test('sessions from before another way to sign in are not listed', async () => {
  const store = await openSessionStore(
    { redisUrl: null, dataDir },
    { now: Date.now, onError: () => undefined },
  )
  const own = sessionOf({ tokenHash: 'own', idpUserId: 'user_d' })
  const before = sessionOf({ tokenHash: 'before', idpUserId: 'user_d', way: 'oidc https://issuer.example' })
  for (const session of [own, before]) await store.create(session)
  const sessions = new Sessions({ store, now: Date.now, isSecure: false, maxMs: 60_000, way: 'accounts' })
  expect((await sessions.list(own)).map(({ tokenHash }) => tokenHash)).toEqual(['own'])
  await store.close()
})
