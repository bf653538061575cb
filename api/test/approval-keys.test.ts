import { randomBytes } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { rotateTenantKey, verifyValues, withDatabase } from '../src/maintenance.ts'
import { confirmAwaitedKey, listAwaitedKeys } from '../src/operator-commands.ts'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { joinWorkspace } from './joined.ts'
import { askedIn, SITE, TouchKey } from './touch-client.ts'

const DAY_MS = 24 * 60 * 60_000

const WAITS = {
  status: 409,
  failure: { code: 'conflict', error: expect.stringMatching(/^signed: it waits/) },
}

const lettersOf = (fingerprint: string | null) => (fingerprint ?? '').slice(0, 9)

describe.each(oneDatabase)('signing keys on %s', (kind) => {
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
  const acts = async () => (await api.call('listLastingActs', { as: owner })).json
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

  test('each person can have five signing keys', async () => {
    for (let key = 0; key < 5; key += 1) await new TouchKey().enrol(api, owner)
    const refusal = 'you can have 5 signing keys: remove one first'
    expectError(await new TouchKey().add(api, owner), 409, refusal, 'conflict')
    expect((await new TouchKey().add(api, await joinWorkspace(api, owner, 'member'))).status).toBe(201)
  })

  test('the operator confirms a signing key only with its whole fingerprint and a yes', async () => {
    const { json } = await new TouchKey().add(api, owner)
    const asked = (fingerprint: string, isAgreed: boolean) =>
      confirmAwaitedKey(api.settings, fingerprint, async () => isAgreed)
    await expect(asked((json.fingerprint ?? '').slice(1), true)).rejects.toThrow(
      'no signing key with this fingerprint waits: compare all 20 letters',
    )
    await expect(asked(json.fingerprint ?? '', false)).rejects.toThrow('nothing was confirmed')
    expect(await list(owner)).toMatchObject([{ state: 'pending' }])
    expect(await asked(json.fingerprint ?? '', true)).toMatchObject({ id: json.id })
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
    const again = await key.add(api, second)
    expectError(again, 409, 'this workspace has this key already', 'conflict')
    later(DAY_MS / 24)
    expect(await list(owner)).toEqual([])
    expect((await new TouchKey().add(api, owner)).status).toBe(201)
  })

  test('an owner’s touch announces its confirmation, and a second owner’s lets it count at once', async () => {
    const [first, other, added] = [new TouchKey(), new TouchKey(), new TouchKey()]
    await first.enrol(api, owner)
    await other.enrol(api, second)
    const made = (await added.add(api, member)).json
    const announced = await confirmed(owner, first, made)
    expect(announced).toMatchObject(WAITS)
    expect(await confirmed(owner, first, made)).toMatchObject(WAITS)
    const counts_from = announced.failure?.details?.['counts_from']
    const waiting = { state: 'waiting', confirmed_by: owner.userId, counts_from, ends_at: null }
    expect(await list(member)).toMatchObject([waiting])
    expect(await acts()).toMatchObject([
      {
        act: 'confirmApprovalKey',
        person: { id: owner.userId },
        counts_from,
        concerns: { approval_key: { id: made.id } },
      },
    ])
    expect((await confirmed(second, other, made)).json).toMatchObject({
      state: 'active',
      confirmed_by: second.userId,
    })
    expect(await acts()).toEqual([])
    const log = (await api.call('listAudit', { as: owner, query: { limit: '2' } })).json
    expect(log).toMatchObject([
      { action: 'approval_key.confirmed', target: { id: member.userId } },
      { action: 'lasting_act.announced' },
    ])
  })

  test('one touch alone buys no key: the same owner signs again a day later', async () => {
    const [first, added] = [new TouchKey(), new TouchKey()]
    await first.enrol(api, owner)
    const made = (await added.add(api, owner)).json
    expect(await confirmed(owner, first, made)).toMatchObject(WAITS)
    // A new key of another person sweeps those that nobody confirmed.
    later(DAY_MS - 1_000)
    expect((await new TouchKey().add(api, member)).status).toBe(201)
    expect(await confirmed(owner, first, made)).toMatchObject(WAITS)
    const asked = askedIn(await confirm(owner, made.id, lettersOf(made.fingerprint)))
    expect(asked.keys.map(({ id }) => id)).toEqual([first.device.id])
    later(6 * DAY_MS)
    expect(await stateOf(made.id)).toBe('waiting')
    expect((await confirmed(owner, first, made)).json).toMatchObject({ state: 'active' })
    expect(await acts()).toEqual([])
    expect((await confirmed(owner, first, made)).failure).toMatchObject({ error: 'this key counts already' })
  })

  test('an act that is not carried out in a week waits again, even before a sweep removes it', async () => {
    const first = new TouchKey()
    await first.enrol(api, owner)
    const made = (await new TouchKey().add(api, owner)).json
    await confirmed(owner, first, made)
    later(9 * DAY_MS)
    const { failure } = await confirmed(owner, first, made)
    expect(await acts()).toMatchObject([{ counts_from: failure?.details?.['counts_from'] }])
  })

  test('any owner can stop the confirmation without a touch, like every act that waits', async () => {
    const first = new TouchKey()
    await first.enrol(api, owner)
    const made = (await new TouchKey().add(api, owner)).json
    await confirmed(owner, first, made)
    const [act] = await acts()
    const params = { act_id: act?.id ?? '' }
    expect((await api.call('endLastingAct', { as: second, params })).status).toBe(200)
    expect(await stateOf(made.id)).toBe('pending')
    later(DAY_MS)
    expect(await stateOf(made.id)).toBeUndefined()
    expect((await confirm(owner, made.id, lettersOf(made.fingerprint))).status).toBe(404)
  })

  test('what waits ends with the key, and when the operator confirms it', async () => {
    const first = new TouchKey()
    await first.enrol(api, owner)
    const removed = (await new TouchKey().add(api, owner)).json
    await confirmed(owner, first, removed)
    expect((await remove(second, removed.id)).status).toBe(200)
    expect([await stateOf(removed.id), await acts()]).toEqual([undefined, []])
    const made = (await new TouchKey().add(api, owner)).json
    await confirmed(owner, first, made)
    const awaited = (await listAwaitedKeys(api.settings)).find(({ id }) => id === made.id)
    expect(awaited).toMatchObject({ state: 'waiting', confirmedBy: owner.userId })
    await byOperator(made.fingerprint)
    expect([await stateOf(made.id), await acts()]).toEqual(['active', []])
  })

  test('a member confirms only their own key, with another of their keys, and waits too', async () => {
    const [own, owners] = [new TouchKey(), new TouchKey()]
    await own.enrol(api, member)
    await owners.enrol(api, owner)
    const made = (await new TouchKey().add(api, member)).json
    expect(await confirmed(owner, owners, made)).toMatchObject(WAITS)
    expect(await confirmed(member, own, made)).toMatchObject(WAITS)
    expect((await list(member)).map(({ state }) => state)).toEqual(['active', 'waiting'])
    later(DAY_MS)
    expect((await confirmed(member, own, made)).json).toMatchObject({ confirmed_by: member.userId })
    const foreign = (await list(owner)).find((key) => key.user_id === owner.userId)
    expect((await confirm(member, foreign?.id ?? '', 'BBBB-BBBB')).status).toBe(404)
  })

  test('a confirmation ends every other wait for the same key', async () => {
    const [own, owners] = [new TouchKey(), new TouchKey()]
    await own.enrol(api, member)
    await owners.enrol(api, owner)
    const made = (await new TouchKey().add(api, member)).json
    await confirmed(owner, owners, made)
    await confirmed(member, own, made)
    expect(await acts()).toHaveLength(2)
    later(DAY_MS)
    expect((await confirmed(member, own, made)).status).toBe(200)
    expect(await acts()).toEqual([])
  })

  test('of two concurrent confirmations, only one succeeds', async () => {
    const [first, other] = [new TouchKey(), new TouchKey()]
    await first.enrol(api, owner)
    await other.enrol(api, second)
    const made = (await new TouchKey().add(api, member)).json
    await confirmed(owner, first, made)
    later(DAY_MS)
    const answers = await Promise.all([confirmed(owner, first, made), confirmed(second, other, made)])
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const log = (await api.call('listAudit', { as: owner, query: { limit: '3' } })).json
    expect(log.filter(({ action }) => action === 'approval_key.confirmed').length).toBe(1)
  })

  test('of two concurrent removals, one succeeds', async () => {
    const { id } = (await new TouchKey().add(api, owner)).json
    const answers = await Promise.all([remove(owner, id), remove(owner, id)])
    const refused = answers.filter(({ status }) => status !== 200)
    expect(refused).toMatchObject([{ status: 404, failure: { error: 'signing key not found' } }])
    const log = (await api.call('listAudit', { as: owner, query: { limit: '3' } })).json
    expect(log.filter(({ action }) => action === 'approval_key.removed')).toHaveLength(1)
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
    expect([await stateOf(made.id), await acts()]).toEqual(['pending', []])
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
    expect(await confirmed(second, key, json)).toMatchObject(WAITS)
    const params = { user_id: second.userId }
    expect((await api.call('removeMember', { as: second, params })).status).toBe(200)
    expect([await stateOf(json.id), await acts()]).toEqual(['pending', []])
    later(DAY_MS / 24)
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
      expect(new Set(answers.map(({ failure }) => failure?.code))).toEqual(new Set(['changed', 'conflict']))
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
      expect(await send(header)).toMatchObject(WAITS)
      const next = askedIn(await remove(owner, (await list(owner))[0]?.id ?? ''))
      const removed = await remove(owner, (await list(owner))[0]?.id ?? '', key.sign(next, { counter: 99 }))
      expectError(removed, 403, 'this signature is not valid for this act', 'touch_refused')
    })

    test('that is malformed is refused', async () => {
      for (const header of ['a', 'a.b.c.d.e', 'a.b.c.d.e.f.g', 'ä.b.c.d.e.f', '.....']) {
        const answer = await send({ 'keyferry-touch': encodeURI(header) })
        expectError(answer, 400, 'Keyferry-Touch is malformed', 'invalid')
      }
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
      state: 'pending',
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

test('without an address for passkeys there are no signing keys', async () => {
  for (const settings of [{ publicUrl: 'http://127.0.0.1:5393' }, { authMode: 'local' as const }]) {
    const api = await startTestApi('sqlite', settings)
    const as = await api.newOwner()
    expect((await api.call('listApprovalKeys', { as })).json).toEqual({ address: null, keys: [] })
    const refused = await api.call('prepareApprovalKey', { as })
    expectError(refused, 409, 'signing keys do not work at the address of this server', 'conflict')
    await api.close()
  }
})
