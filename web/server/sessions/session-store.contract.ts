import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Session, SessionStore, SessionTimes } from './session-store.ts'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const START = Date.UTC(2026, 0, 31, 12)

let count = 0

function session(facts: Partial<Session> = {}): Session {
  count += 1
  return {
    tokenHash: `hash-${count}-${Math.random()}`,
    idpUserId: `user_${count}_${Math.random()}`,
    way: 'accounts',
    userId: 'a user',
    personalTenantId: 'own',
    tenantId: 'own',
    providerSessionId: null,
    idToken: null,
    epoch: 0,
    userAgent: 'a browser',
    createdAtMs: START,
    lastSeenAtMs: START,
    ...facts,
  }
}

/** What every session store has to do. */
export function describeSessionStore(
  name: string,
  open: (times?: SessionTimes) => Promise<SessionStore>,
): void {
  describe(`session store: ${name}`, () => {
    let store: SessionStore
    beforeAll(async () => {
      store = await open()
    })
    afterAll(async () => await store.close())

    async function created(facts: Partial<Session> = {}): Promise<Session> {
      const fresh = session(facts)
      await store.create(fresh)
      return fresh
    }

    const isThere = async ({ tokenHash }: Session, nowMs: number) =>
      (await store.find(tokenHash, nowMs)) !== null

    test('a session is found as it was made', async () => {
      const made = await created({
        idToken: 'a.b.c',
        providerSessionId: `sid-${Math.random()}`,
        userAgent: 'ä "x"',
      })
      expect(await store.find(made.tokenHash, START)).toEqual(made)
      expect(await store.find('another', START)).toBeNull()
    })

    test('what a page asks by itself does not keep it', async () => {
      const made = await created()
      expect(await store.find(made.tokenHash, START + 20 * MINUTE, false)).not.toBeNull()
      expect(await isThere(made, START + 30 * MINUTE)).toBe(false)
    })

    test('it ends 30 minutes after its last use', async () => {
      const made = await created()
      expect(await isThere(made, START + 30 * MINUTE - 1)).toBe(true)
      const left = await created()
      expect(await isThere(left, START + 30 * MINUTE)).toBe(false)
    })

    test('use keeps it alive, but no longer than 7 days', async () => {
      const made = await created()
      for (let at = START; at < START + 7 * DAY; at += 29 * MINUTE) expect(await isThere(made, at)).toBe(true)
      expect(await isThere(made, START + 7 * DAY)).toBe(false)
    })

    test('other times count at once, also for sessions that began before', async () => {
      const [long, short] = await Promise.all(
        [12 * 60 * MINUTE, 10 * MINUTE].map((idleMs) => open({ idleMs, maxMs: DAY })),
      )
      const made = session()
      await long?.create(made)
      const isIn = async (from: SessionStore | undefined, nowMs: number) =>
        (await from?.find(made.tokenHash, nowMs, false)) !== null
      expect(await isIn(long, START + 12 * 60 * MINUTE - 1)).toBe(true)
      expect(await isIn(short, START + 10 * MINUTE - 1)).toBe(true)
      expect(await isIn(short, START + 10 * MINUTE)).toBe(false)
      expect(await short?.list(made.idpUserId, START + 10 * MINUTE)).toEqual([])
      expect(await isIn(long, START + 12 * 60 * MINUTE)).toBe(false)
      await Promise.all([long?.close(), short?.close()])
    })

    test('one that began on a clock that was ahead has ended; a few minutes do no harm', async () => {
      const at = (minutes: number) => ({
        createdAtMs: START + minutes * MINUTE,
        lastSeenAtMs: START + minutes * MINUTE,
      })
      const [ahead, near] = [await created(at(6)), await created(at(4))]
      expect([await isThere(ahead, START), await isThere(near, START)]).toEqual([false, true])
      expect(await store.list(ahead.idpUserId, START)).toEqual([])
    })

    test('a use on a clock that was days ahead does not keep it longer', async () => {
      const made = await created()
      const used = await created({ lastSeenAtMs: START + 3 * DAY })
      expect([await isThere(made, START), await isThere(used, START)]).toEqual([true, true])
      expect(await isThere(used, START + 30 * MINUTE)).toBe(false)
    })

    test('a removed one is gone, and using it does not bring it back', async () => {
      const made = await created()
      await store.remove(made.tokenHash)
      expect(await isThere(made, START + MINUTE)).toBe(false)
      await store.chooseTenant(made.tokenHash, 'other')
      expect(await isThere(made, START + MINUTE)).toBe(false)
    })

    test('the chosen tenant is kept, only for this session', async () => {
      const made = await created()
      const other = await created({ idpUserId: made.idpUserId })
      await store.chooseTenant(made.tokenHash, 'team')
      expect((await store.find(made.tokenHash, START + MINUTE))?.tenantId).toBe('team')
      expect((await store.find(made.tokenHash, START + 2 * MINUTE))?.tenantId).toBe('team')
      expect((await store.find(other.tokenHash, START))?.tenantId).toBe('own')
    })

    test('all sessions of one person end, and no others', async () => {
      const [one, stranger] = [await created(), await created()]
      const two = await created({ idpUserId: one.idpUserId })
      await store.removeAll({ idpUserId: one.idpUserId })
      expect([await isThere(one, START), await isThere(two, START)]).toEqual([false, false])
      expect(await isThere(stranger, START)).toBe(true)
    })

    test('an old order does not end a newer session', async () => {
      const old = await created()
      const newer = await created({ idpUserId: old.idpUserId, createdAtMs: START + MINUTE })
      await store.removeAll({ idpUserId: old.idpUserId, beforeMs: START + MINUTE })
      expect([await isThere(old, START), await isThere(newer, START)]).toEqual([false, true])
    })

    test('the sessions of one session at the provider end', async () => {
      const providerSessionId = `sid-${Math.random()}`
      const one = await created({ providerSessionId })
      const other = await created({ idpUserId: one.idpUserId, providerSessionId: `sid-${Math.random()}` })
      const none = await created({ idpUserId: one.idpUserId })
      await store.removeAll({ providerSessionId })
      expect([await isThere(one, START), await isThere(other, START), await isThere(none, START)]).toEqual([
        false,
        true,
        true,
      ])
      await store.removeAll({ providerSessionId: 'nobody' })
    })

    test('open sessions are listed, the last used first', async () => {
      const one = await created()
      const two = await created({ idpUserId: one.idpUserId, lastSeenAtMs: START + MINUTE })
      const ended = await created({ idpUserId: one.idpUserId })
      await store.remove(ended.tokenHash)
      const hashes = async (nowMs: number) =>
        (await store.list(one.idpUserId, nowMs)).map(({ tokenHash }) => tokenHash)
      expect(await hashes(START + MINUTE)).toEqual([two.tokenHash, one.tokenHash])
      expect(await hashes(START + 30 * MINUTE)).toEqual([two.tokenHash])
      expect(await hashes(START + DAY)).toEqual([])
    })

    test('sessions that were last used at the same time are always listed in the same order', async () => {
      const { idpUserId, tokenHash } = await created()
      const others = await Promise.all(Array.from({ length: 5 }, () => created({ idpUserId })))
      const listed = (await store.list(idpUserId, START)).map((each) => each.tokenHash)
      expect(listed).toEqual([tokenHash, ...others.map((each) => each.tokenHash)].toSorted())
    })

    test('of any number of concurrent uses exactly one is the first', async () => {
      const id = `event-${Math.random()}`
      const uses = Array.from({ length: 50 }, () => store.firstUse(id, START + MINUTE, START))
      expect((await Promise.all(uses)).filter(Boolean)).toHaveLength(1)
      expect(await store.isUsed(id, START)).toBe(true)
      await store.forgetUse(id)
      expect(await store.isUsed(id, START)).toBe(false)
      expect(await store.firstUse(id, START + MINUTE, START)).toBe(true)
    })

    test('it answers a ping', async () => {
      await expect(store.ping()).resolves.toBeUndefined()
    })
  })
}
