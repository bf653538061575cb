import { TIMES } from '@keyferry/contract'
import { expect, test } from 'vitest'
import { isActive, isStale, type Session } from './session-store.ts'

const NOW_MS = Date.parse('2030-01-01T00:00:00Z')
const IDLE_MS = 30 * 60_000
const MAX_MS = 7 * 24 * 60 * 60_000
const TOUCHED_AFTER_MS = 30_000

const session = (of: Partial<Session>): Session => ({
  tokenHash: 'a hash',
  idpUserId: 'user_sam',
  way: 'accounts',
  userId: 'sam',
  personalTenantId: 'a tenant',
  tenantId: 'a tenant',
  providerSessionId: null,
  idToken: null,
  epoch: 0,
  userAgent: '',
  createdAtMs: NOW_MS - 60_000,
  lastSeenAtMs: NOW_MS,
  ...of,
})

test.each([
  ['just used', {}, true],
  ['one moment before its idle time is over', { lastSeenAtMs: NOW_MS - IDLE_MS + 1 }, true],
  ['as its idle time is over', { lastSeenAtMs: NOW_MS - IDLE_MS }, false],
  ['one moment before its last one', { createdAtMs: NOW_MS - MAX_MS + 1 }, true],
  ['at its last moment, though just used', { createdAtMs: NOW_MS - MAX_MS }, false],
  ['of a clock that is ahead as far as allowed', { createdAtMs: NOW_MS + TIMES.aheadSeconds * 1_000 }, true],
  ['of a clock that is further ahead', { createdAtMs: NOW_MS + TIMES.aheadSeconds * 1_000 + 1 }, false],
])('a session %s', (_, of, isLive) => {
  expect(isActive(session(of), NOW_MS, { idleMs: IDLE_MS, maxMs: MAX_MS })).toBe(isLive)
})

test.each([
  [-TOUCHED_AFTER_MS, true],
  [-TOUCHED_AFTER_MS + 1, false],
  [TOUCHED_AFTER_MS, true],
  [0, false],
])('a last use %i ms from now is written again: %s', (ms, isOld) => {
  expect(isStale(session({ lastSeenAtMs: NOW_MS + ms }), NOW_MS)).toBe(isOld)
})
