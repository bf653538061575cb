import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rotateTenantKey, verifyValues, withDatabase } from '../src/maintenance.ts'
import { confirmAwaitedKey, listAwaitedKeys } from '../src/operator-commands.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { askedIn, SITE, TouchKey } from './touch-client.ts'

const DAY_MS = 24 * 60 * 60_000

const lettersOf = (fingerprint: string | null) => (fingerprint ?? '').slice(0, 9)

describe.each(oneDatabase)('approval keys on %s', (kind) => {
  let api: TestApi
  let now = new Date()
  let owner: Identity
  let second: Identity
  let member: Identity

  beforeAll(async () => {
    api = await startTestApi(kind, { now: () => now })
  })
  afterAll(() => api.close())

  beforeEach(async () => {
    now = new Date()
    owner = await api.newOwner()
    second = await joined('owner')
    member = await joined('member')
  })

  async function joined(role: 'owner' | 'member'): Promise<Identity> {
    const email = `${randomBytes(8).toString('hex')}@example.com`
    const { json } = await api.call('createInvitation', { as: owner, body: { email, role } })
    const body = { idp_user_id: `user_${email}`, email, email_verified: true }
    const { user_id: userId } = (await api.call('ensureUser', { body })).json
    const as = { userId, tenantId: owner.tenantId }
    await api.call('acceptInvitation', { as, body: { token: json.token } })
    return as
  }

  const later = (ms: number) => {
    now = new Date(now.getTime() + ms)
  }
  const list = async (as: Identity) => (await api.call('listApprovalKeys', { as })).json.keys
  const stateOf = async (id: string) => (await list(owner)).find((key) => key.id === id)?.state
  const confirm = (as: Identity, key_id: string, fingerprint: string, headers = {}) =>
    api.call('confirmApprovalKey', { as, params: { key_id }, body: { fingerprint }, headers })
  const remove = (as: Identity, key_id: string, headers = {}) =>
    api.call('removeApprovalKey', { as, params: { key_id }, headers })
  const byOperator = (fingerprint: string | null) =>
    confirmAwaitedKey(api.settings, fingerprint ?? '', async () => true)

  /** Confirm by the touch of a key. */
  async function confirmed(
    as: Identity,
    key: TouchKey,
    { id, fingerprint }: { id: string; fingerprint: string | null },
  ) {
    const letters = lettersOf(fingerprint)
    return await confirm(as, id, letters, key.sign(askedIn(await confirm(as, id, letters))))
  }

  test('a new key is pending, and the server’s operator lets it count at once', async () => {
    const key = new TouchKey()
    const added = await key.add(api, owner)
    expect([added.status, added.json.state]).toEqual([201, 'pending'])
    const awaited = (await listAwaitedKeys(api.settings)).filter(({ id }) => id === added.json.id)
    expect(awaited).toMatchObject([{ userId: owner.userId, isSynced: false, state: 'pending' }])
    await expect(
      byOperator(added.json.fingerprint?.replace(/.$/, (last) => (last === 'B' ? 'C' : 'B')) ?? ''),
    ).rejects.toThrow('all 20 letters')
    await byOperator(added.json.fingerprint?.toLowerCase().replaceAll('-', ' ') ?? '')
    expect(await list(owner)).toMatchObject([{ state: 'active', confirmed_by: 'operator', works_here: true }])
  })

  test('a key that goes while the operator compares the letters is not confirmed', async () => {
    const { json } = await new TouchKey().add(api, owner)
    const compare = async () => {
      expect((await remove(owner, json.id)).status).toBe(200)
      return true
    }
    await expect(confirmAwaitedKey(api.settings, json.fingerprint ?? '', compare)).rejects.toThrow(
      'this key changed in the meantime: look at the list again',
    )
    const log = (await api.call('listAudit', { as: owner })).json
    expect(log.map(({ action }) => action)).not.toContain('approval_key.confirmed')
  })

  test('a pending key signs nothing, and ends after an hour', async () => {
    const key = new TouchKey()
    const { json } = await key.add(api, owner)
    const refused = await confirm(owner, json.id, lettersOf(json.fingerprint))
    expect(askedIn(refused).keys).toEqual([])
    const forged = await confirm(owner, json.id, lettersOf(json.fingerprint), key.sign(askedIn(refused)))
    expectError(forged, 403, 'this key does not count here', 'touch_refused')
    const another = await new TouchKey().add(api, owner)
    expectError(another, 409, 'you have a key that waits for its confirmation: remove it first')
    later(DAY_MS / 24)
    expect(await list(owner)).toEqual([])
    expect((await new TouchKey().add(api, owner)).status).toBe(201)
  })

  test('an owner’s touch lets it count a day later, and a second owner’s at once', async () => {
    const [first, other, added] = [new TouchKey(), new TouchKey(), new TouchKey()]
    await first.enrol(api, owner)
    await other.enrol(api, second)
    const made = (await added.add(api, member)).json
    expect((await confirmed(owner, first, made)).json).toMatchObject({ state: 'waiting' })
    expect((await confirmed(owner, first, made)).failure?.code).toBe('conflict')
    expect(await stateOf(made.id)).toBe('waiting')
    expect((await confirmed(second, other, made)).json).toMatchObject({ state: 'active' })
  })

  test('one touch alone buys no key within a day, and any owner stops it without a touch', async () => {
    const first = new TouchKey()
    await first.enrol(api, owner)
    const made = (await new TouchKey().add(api, owner)).json
    expect((await confirmed(owner, first, made)).json.state).toBe('waiting')
    later(DAY_MS - 1_000)
    expect(await stateOf(made.id)).toBe('waiting')
    later(1_000)
    expect(await stateOf(made.id)).toBe('active')
    const again = (await new TouchKey().add(api, owner)).json
    await confirmed(owner, first, again)
    expect((await remove(second, again.id)).status).toBe(200)
    expect(await stateOf(again.id)).toBeUndefined()
  })

  test('the letters are compared, and a member sees only the own keys', async () => {
    const first = new TouchKey()
    await first.enrol(api, owner)
    const made = (await new TouchKey().add(api, member)).json
    const wrong = await confirm(owner, made.id, 'BBBB-BBBB')
    const answer = await confirm(owner, made.id, 'BBBB-BBBB', first.sign(askedIn(wrong)))
    expectError(answer, 400, 'these are not the first eight letters of this key', 'invalid')
    const half = `${made.fingerprint?.slice(0, 4)}     `
    const short = await confirm(
      owner,
      made.id,
      half,
      first.sign(askedIn(await confirm(owner, made.id, half))),
    )
    expect(short.failure?.code).toBe('invalid')
    expect((await list(owner)).find(({ id }) => id === made.id)?.fingerprint).toBeNull()
    expect((await list(member)).map(({ user_id }) => user_id)).toEqual([member.userId])
    const [ownersKey] = await list(owner)
    expect((await remove(member, ownersKey?.id ?? '')).status).toBe(404)
  })

  test('a key that counts is removed by a touch only', async () => {
    const [key, other] = [new TouchKey(), new TouchKey()]
    const id = await key.enrol(api, member)
    await other.enrol(api, owner)
    const asked = askedIn(await remove(owner, id))
    expect((await remove(second, id)).failure?.code).toBe('touch_required')
    expect((await remove(owner, id, other.sign(asked))).status).toBe(200)
    expect((await list(member)).length).toBe(0)
  })

  test('with the membership, the keys go, and those that wait because this person confirmed them', async () => {
    const key = new TouchKey()
    await key.enrol(api, second)
    const { json } = await new TouchKey().add(api, member)
    expect((await confirmed(second, key, json)).json.state).toBe('waiting')
    const params = { user_id: second.userId }
    expect((await api.call('removeMember', { as: second, params })).status).toBe(200)
    expect(await stateOf(json.id)).toBeUndefined()
    await new TouchKey().enrol(api, member)
    await api.call('removeMember', { as: owner, params: { user_id: member.userId } })
    expect(await list(owner)).toEqual([])
  })

  describe('a touch', () => {
    let key: TouchKey
    let target: { id: string; letters: string }

    beforeEach(async () => {
      key = new TouchKey()
      await key.enrol(api, owner)
      const { json } = await new TouchKey().add(api, member)
      target = { id: json.id, letters: lettersOf(json.fingerprint) }
    })

    const asked = async () => askedIn(await confirm(owner, target.id, target.letters))
    const send = (headers: Record<string, string>, as = owner) =>
      confirm(as, target.id, target.letters, headers)

    test('names the act, the person and the key that it is about', async () => {
      const { statement, rp_id, keys } = await asked()
      expect(JSON.parse(statement)).toMatchObject({
        act: 'confirmApprovalKey',
        tenant: owner.tenantId,
        person: owner.userId,
        method: 'POST',
        path: `/api/v1/approval-keys/${target.id}/confirm`,
        concerns: { approval_key: { id: target.id, person: member.userId } },
      })
      expect([rp_id, keys]).toEqual([SITE.rpId, [{ id: key.device.id, transports: [] }]])
    })

    test('counts once', async () => {
      const header = key.sign(await asked(), { counter: 0 })
      const answers = await Promise.all([send(header), send(header)])
      expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
      const late = await send(header)
      const text = 'what you signed is not what would happen now: look again and sign anew'
      expectError(late, 409, text, 'changed')
    })

    test.each([
      { origin: 'https://keyferry.example.com:8443' },
      { origin: 'https://a.keyferry.example.com' },
      { rpId: 'example.com' },
      { crossOrigin: true },
      { topOrigin: SITE.origin },
      { isVerified: false },
      { isSynced: true },
    ])('with %j is refused, and an event tells it', async (changed) => {
      expect((await send(key.sign(await asked(), changed))).failure?.code).toBe('touch_refused')
      expect(await stateOf(target.id)).toBe('pending')
      const { json } = await api.call('listAudit', { as: owner, query: { limit: '1' } })
      expect(json).toMatchObject([
        { action: 'touch.refused', data: { reason: expect.stringContaining('not valid') } },
      ])
    })

    test('of another key, another person or another act is refused', async () => {
      const foreign = new TouchKey()
      await foreign.enrol(api, second)
      expect((await send(foreign.sign(await asked()))).failure?.code).toBe('touch_refused')
      expect((await send(key.sign(await asked()), second)).failure?.code).toBe('changed')
      const removal = await remove(owner, (await list(owner))[0]?.id ?? '')
      expect((await send(key.sign(askedIn(removal)))).failure?.code).toBe('changed')
      const other = await confirm(owner, target.id, 'ZZZZ-ZZZZ')
      expect((await send(key.sign(askedIn(other)))).failure?.code).toBe('changed')
    })

    test('that is too old or from the future is refused', async () => {
      for (const ms of [181_000, -61_000]) {
        const header = key.sign(await asked())
        later(ms)
        expect((await send(header)).failure?.code).toBe('changed')
        now = new Date()
      }
    })

    test('whose counter goes back is refused', async () => {
      const header = key.sign(await asked(), { counter: 100 })
      expect((await send(header)).status).toBe(200)
      const next = askedIn(await remove(owner, (await list(owner))[0]?.id ?? ''))
      const removed = await remove(owner, (await list(owner))[0]?.id ?? '', key.sign(next, { counter: 99 }))
      expect(removed.failure?.code).toBe('touch_refused')
    })

    test('that is malformed is refused', async () => {
      for (const header of ['', 'a', 'a.b.c.d.e', 'a.b.c.d.e.f.g', 'ä.b.c.d.e.f', '.....'])
        expect((await send({ 'keyferry-touch': encodeURI(header) })).status).toBeGreaterThan(399)
    })

    test('is asked for at most 20 times a minute', async () => {
      for (let call = 1; call < 20; call += 1) await asked()
      await asked()
      expect((await confirm(owner, target.id, target.letters)).status).toBe(429)
    })
  })

  test('no changed column of a row leaves a key that counts', async () => {
    const key = new TouchKey()
    const id = await key.enrol(api, owner)
    const foreign = (await new TouchKey().add(api, member)).json.id
    const changes = {
      user_id: member.userId,
      credential_id: randomBytes(16).toString('base64url'),
      is_synced: 1,
      aaguid: '00000000-0000-0000-0000-000000000001',
      rp_id: 'example.com',
      state: 'waiting',
      endorsed_by: owner.userId,
      counts_from: now.toISOString(),
      confirmed_by: owner.userId,
      created_at: now.toISOString().replace('Z', '0Z'),
    }
    await withDatabase(api.settings, async ({ query }) => {
      const set = (row: string, column: string, value: unknown) =>
        sql`update approval_keys set ${sql.ref(column)} = ${value} where id = ${row}`.execute(query)
      const { rows } = await sql<
        Record<string, unknown>
      >`select * from approval_keys where id = ${id}`.execute(query)
      for (const [column, value] of Object.entries(changes)) {
        await set(id, column, value)
        expect((await api.call('listApprovalKeys', { as: owner })).status, column).toBe(500)
        await set(id, column, rows[0]?.[column])
      }
      await set(foreign, 'state', 'active')
      expect((await api.call('listApprovalKeys', { as: owner })).status).toBe(500)
      await set(foreign, 'state', 'pending')
    })
    expect((await list(owner)).length).toBe(2)
  })

  test('keys follow the tenant’s key', async () => {
    const key = new TouchKey()
    const id = await key.enrol(api, owner)
    const { values } = await rotateTenantKey(api.settings, { tenantId: owner.tenantId, settleMs: 0 })
    expect(values).toBe(1)
    expect((await verifyValues(api.settings)).failures).toEqual([])
    // A server uses the keys that it read for up to two seconds.
    await expect.poll(async () => (await api.call('listApprovalKeys', { as: owner })).status).toBe(200)
    expect((await remove(owner, id, key.sign(askedIn(await remove(owner, id))))).status).toBe(200)
  })
})

test('without an address for passkeys there are no approval keys', async () => {
  for (const settings of [{ publicUrl: 'http://127.0.0.1:5393' }, { authMode: 'local' as const }]) {
    const api = await startTestApi('sqlite', settings)
    const as = await api.newOwner()
    expect((await api.call('listApprovalKeys', { as })).json).toEqual({ address: null, keys: [] })
    expect((await api.call('prepareApprovalKey', { as })).failure?.code).toBe('conflict')
    await api.close()
  }
})
