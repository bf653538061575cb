import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { expectError, type Identity, oneDatabase, startTestApi, type TestApi } from './api.ts'
import { eventsOf, grant, newBundle, newMachine } from './machine-client.ts'

describe.each(oneDatabase)('machines on %s', (kind) => {
  let api: TestApi
  let owner: Identity
  let clockMs = Date.parse('2026-06-01T00:00:00Z')
  beforeAll(async () => {
    api = await startTestApi(kind, { now: () => new Date(clockMs) })
    owner = await api.newOwner()
  })
  afterAll(() => api.close())

  test('a machine is created, changed and deleted, and each change is an event', async () => {
    const body = { name: 'ci-deploy', description: 'deploys' }
    const made = await api.call('createMachine', { as: owner, body })
    expect(made.json).toMatchObject({ ...body, is_active: true, audit: false, grants: [], tokens: [] })
    const params = { machine_id: made.json.id }
    const change = { name: 'ci', is_active: false }
    const changed = await api.call('updateMachine', { as: owner, params, body: change })
    expect(changed.json).toMatchObject({ ...change, description: 'deploys' })
    await api.call('updateMachine', { as: owner, params, body: change })
    expect((await api.call('deleteMachine', { as: owner, params })).json).toEqual({ ok: true })
    expectError(await api.call('getMachine', { as: owner, params }), 404, 'machine not found', 'not_found')
    const target = { kind: 'machine', id: made.json.id }
    expect(await eventsOf(api, owner, 'machine.created')).toMatchObject([
      { target: { ...target, name: 'ci-deploy' } },
    ])
    const data = { changed: ['name', 'is_active'], is_active: false, audit: false }
    expect(await eventsOf(api, owner, 'machine.changed')).toMatchObject([{ data }])
    expect(await eventsOf(api, owner, 'machine.deleted')).toMatchObject([{ target }])
  })

  test('a name is unique in a workspace', async () => {
    const [one, other] = [await newMachine(api, owner), await newMachine(api, owner)]
    const taken = 'machine with this name already exists'
    expectError(await api.call('createMachine', { as: owner, body: { name: one.name } }), 409, taken)
    const rename = { params: { machine_id: other.id }, body: { name: one.name } }
    expectError(await api.call('updateMachine', { as: owner, ...rename }), 409, taken)
    const elsewhere = await api.newOwner()
    expect((await api.call('createMachine', { as: elsewhere, body: { name: one.name } })).status).toBe(201)
  })

  test.each(['', 'a b', 'a\u202eb', 'ä', 'x'.repeat(101)])('the name %j is refused', async (name) => {
    expect((await api.call('createMachine', { as: owner, body: { name } })).status).toBe(400)
  })

  test('a grant is made, changed and taken away, and is listed by bundle name', async () => {
    const machine = await newMachine(api, owner)
    const bundle = await newBundle(api, owner, { A: '1' })
    const params = { machine_id: machine.id, bundle_id: bundle.id }
    await grant(api, owner, { machine, bundle, scope: 'read' })
    await grant(api, owner, { machine, bundle })
    await grant(api, owner, { machine, bundle })
    const { json } = await api.call('getMachine', { as: owner, params })
    expect(json.grants).toMatchObject([{ bundle: { id: bundle.id, name: bundle.name }, scope: 'deliver' }])
    expect((await api.call('revokeBundle', { as: owner, params })).status).toBe(200)
    expectError(await api.call('revokeBundle', { as: owner, params }), 404, 'the machine has no such bundle')
    const granted = (await eventsOf(api, owner, 'machine.granted')).map(({ data }) => data['scope'])
    expect(granted).toEqual(['deliver', 'read'])
    expect(await eventsOf(api, owner, 'machine.revoked')).toMatchObject([
      { data: { bundle: { id: bundle.id, name: bundle.name } } },
    ])
  })

  test('a grant names a machine and a bundle of the workspace', async () => {
    const foreign = await api.newOwner()
    const [machine, bundle] = [await newMachine(api, owner), await newBundle(api, owner, { A: '1' })]
    const theirs = await newBundle(api, foreign, { A: '1' })
    const body = { scope: 'read' }
    const place = (bundle_id: string) => ({ machine_id: machine.id, bundle_id })
    const ofTheirs = await api.call('grantBundle', { as: owner, params: place(theirs.id), body })
    expectError(ofTheirs, 404, 'bundle not found')
    const byThem = await api.call('grantBundle', { as: foreign, params: place(bundle.id), body })
    expectError(byThem, 404, 'machine not found')
    const odd = await api.call('grantBundle', {
      as: owner,
      params: place(bundle.id),
      body: { scope: 'write' },
    })
    expectError(odd, 400, 'scope must be read or deliver')
  })

  test('a deleted bundle takes its grants along, a deleted machine its tokens', async () => {
    const machine = await newMachine(api, owner)
    const bundle = await newBundle(api, owner, { A: '1' })
    await grant(api, owner, { machine, bundle })
    await api.call('deleteBundle', { as: owner, params: { bundle_id: bundle.id } })
    const params = { machine_id: machine.id }
    expect((await api.call('getMachine', { as: owner, params })).json.grants).toEqual([])
    await api.call('deleteMachine', { as: owner, params })
    const headers = { authorization: `Bearer ${machine.token}` }
    expectError(await api.call('getOwnMachine', { headers }), 401, 'Unauthorized')
  })

  test('a token is shown once, stored as a hash, and listed by its end', async () => {
    const machine = await newMachine(api, owner, {
      expires_in_days: 30,
      networks: ['10.0.0.0/8', '2001:db8::1'],
    })
    const { json, text } = await api.call('getMachine', { as: owner, params: { machine_id: machine.id } })
    expect(text).not.toContain(machine.token)
    expect(json.tokens).toMatchObject([
      {
        id: machine.tokenId,
        hint: machine.token.slice(-4),
        networks: ['10.0.0.0/8', '2001:db8::1/128'],
        expires_at: new Date(clockMs + 30 * 86_400_000).toISOString(),
        ended_at: null,
        last_used_at: null,
      },
    ])
    const [event] = await eventsOf(api, owner, 'token.created')
    expect(event).toMatchObject({ target: { id: machine.id }, data: { token: machine.tokenId } })
    expect(JSON.stringify(event)).not.toContain(machine.token)
  })

  test.each([
    [{ expires_in_days: 0 }, 'expires_in_days must be a whole number from 1 to 366'],
    [{ expires_in_days: 367 }, 'expires_in_days must be a whole number from 1 to 366'],
    [
      { networks: ['10.0.0.0/33'] },
      'networks must hold addresses or networks such as 10.0.0.5 or 10.0.0.0/8',
    ],
    [
      { networks: ['example.com'] },
      'networks must hold addresses or networks such as 10.0.0.5 or 10.0.0.0/8',
    ],
    [{ networks: Array.from({ length: 51 }, () => '10.0.0.1') }, 'networks must be at most 50'],
  ])('a token with %j is refused', async (body, message) => {
    const { json } = await api.call('createMachine', { as: owner, body: { name: `n-${Math.random()}` } })
    const params = { machine_id: json.id }
    expectError(await api.call('createMachineToken', { as: owner, params, body }), 400, message)
  })

  test('a machine has ten tokens that work; an ended one makes room', async () => {
    const machine = await newMachine(api, owner)
    const params = { machine_id: machine.id, token_id: machine.tokenId }
    const more = Array.from({ length: 12 }, () => api.call('createMachineToken', { as: owner, params }))
    const statuses = (await Promise.all(more)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 201)).toHaveLength(9)
    expect(statuses.filter((status) => status === 409)).toHaveLength(3)
    expect((await api.call('rotateMachineToken', { as: owner, params })).status).toBe(409)
    await api.call('endMachineToken', { as: owner, params })
    expect((await api.call('createMachineToken', { as: owner, params })).status).toBe(201)
    clockMs += 366 * 86_400_000
    expect((await api.call('createMachineToken', { as: owner, params })).status).toBe(201)
  })

  test('a token that ended more than 90 days ago is forgotten', async () => {
    const machine = await newMachine(api, owner)
    const params = { machine_id: machine.id, token_id: machine.tokenId }
    const listed = async () =>
      (await api.call('getMachine', { as: owner, params })).json.tokens.map(({ id }) => id)
    const make = async () => (await api.call('createMachineToken', { as: owner, params })).json.id
    await api.call('endMachineToken', { as: owner, params })
    clockMs += 90 * 86_400_000
    const second = await make()
    expect(await listed()).toEqual([machine.tokenId, second])
    clockMs += 1
    const third = await make()
    expect(await listed()).toEqual([second, third])
  })

  test.each(['endMachineToken', 'rotateMachineToken'] as const)(
    '%s refuses a token of another machine, an ended token and an expired token',
    async (call) => {
      const [machine, other] = [await newMachine(api, owner), await newMachine(api, owner)]
      const ended = await newMachine(api, owner)
      const place = { machine_id: ended.id, token_id: ended.tokenId }
      await api.call('endMachineToken', { as: owner, params: place })
      const expired = await newMachine(api, owner, { expires_in_days: 1 })
      clockMs += 86_400_000
      for (const params of [
        { machine_id: other.id, token_id: machine.tokenId },
        place,
        { machine_id: expired.id, token_id: expired.tokenId },
      ])
        expectError(
          await api.call(call, { as: owner, params }),
          404,
          'the machine has no such token, or it has ended',
        )
      const [event] = await eventsOf(api, owner, 'token.ended')
      expect(event).toMatchObject({
        target: { id: ended.id, name: ended.name },
        data: { token: ended.tokenId, hint: ended.token.slice(-4) },
      })
      const params = { machine_id: machine.id }
      expect((await api.call('getMachine', { as: owner, params })).json.tokens).toMatchObject([
        { ended_at: null },
      ])
    },
  )

  test('a token should be rotated two weeks before it expires, or halfway through a shorter life', async () => {
    const short = await newMachine(api, owner, { expires_in_days: 7 })
    const long = await newMachine(api, owner, { expires_in_days: 30 })
    const dueOf = async ({ id, token }: typeof short) => {
      const { tokens } = (await api.call('getMachine', { as: owner, params: { machine_id: id } })).json
      const own = await api.call('getOwnMachine', { headers: { authorization: `Bearer ${token}` } })
      return [tokens[0]?.due, own.failure?.code ?? own.json.token?.due]
    }
    expect([await dueOf(short), await dueOf(long)]).toEqual([
      [null, null],
      [null, null],
    ])
    clockMs += 4 * 86_400_000
    expect(await dueOf(short)).toEqual(['expiring', 'expiring'])
    clockMs += 4 * 86_400_000
    expect(await dueOf(short)).toEqual(['expired', 'token_expired'])
    clockMs += 7 * 86_400_000
    expect(await dueOf(long)).toEqual([null, null])
    clockMs += 1 * 86_400_000
    expect(await dueOf(long)).toEqual(['expiring', 'expiring'])
  })

  test('a rotated token works beside its successor until the overlap ends', async () => {
    const machine = await newMachine(api, owner, { expires_in_days: 10, networks: ['127.0.0.1'] })
    const params = { machine_id: machine.id, token_id: machine.tokenId }
    clockMs += 86_400_000
    const next = await api.call('rotateMachineToken', { as: owner, params, body: { overlap_seconds: 60 } })
    expect(next.json.expires_at).toBe(new Date(clockMs + 10 * 86_400_000).toISOString())
    const works = async (token: string) =>
      (await api.call('getOwnMachine', { headers: { authorization: `Bearer ${token}` } })).failure?.code ??
      'yes'
    expect([await works(machine.token), await works(next.json.token)]).toEqual(['yes', 'yes'])
    clockMs += 60_000
    expect([await works(machine.token), await works(next.json.token)]).toEqual(['token_expired', 'yes'])
    const { tokens } = (await api.call('getMachine', { as: owner, params })).json
    expect(tokens.map(({ networks }) => networks)).toEqual([['127.0.0.1/32'], ['127.0.0.1/32']])
    const data = { token: next.json.id, replaced_token: machine.tokenId }
    expect(await eventsOf(api, owner, 'token.rotated')).toMatchObject([{ data }])
    expect((await api.call('rotateMachineToken', { as: owner, params })).status).toBe(404)
  })

  test('a rotation without an overlap ends the old token at once', async () => {
    const machine = await newMachine(api, owner)
    const params = { machine_id: machine.id, token_id: machine.tokenId }
    await api.call('rotateMachineToken', { as: owner, params, body: { overlap_seconds: 0 } })
    const headers = { authorization: `Bearer ${machine.token}` }
    const message = 'the token was ended: ask an owner of the workspace for a new one'
    expectError(await api.call('getOwnMachine', { headers }), 401, message, 'token_ended')
  })

  test('the overlap of a rotation never extends the old token', async () => {
    const machine = await newMachine(api, owner, { expires_in_days: 1 })
    const params = { machine_id: machine.id, token_id: machine.tokenId }
    clockMs += 86_400_000 - 30_000
    await api.call('rotateMachineToken', { as: owner, params, body: { overlap_seconds: 60 } })
    const ends_at = new Date(clockMs + 30_000).toISOString()
    const { tokens } = (await api.call('getMachine', { as: owner, params })).json
    expect(tokens[0]).toMatchObject({ id: machine.tokenId, expires_at: ends_at })
    const [event] = await eventsOf(api, owner, 'token.rotated')
    expect(event?.data['ends_at']).toBe(ends_at)
  })

  test('the holder of a token can end it, and learns nothing about other texts', async () => {
    const machine = await newMachine(api, owner)
    const url = 'https://example.com/leak'
    const body = [
      { token: 'no token', type: 'x' },
      { token: machine.token, type: 'x', url },
    ]
    const first = await api.call('reportTokens', { body })
    expect([first.status, first.text]).toEqual([204, ''])
    expect((await api.call('reportTokens', { body })).status).toBe(204)
    const headers = { authorization: `Bearer ${machine.token}` }
    expect((await api.call('getOwnMachine', { headers })).failure?.code).toBe('token_ended')
    const other = await newMachine(api, owner)
    const long = `${url}/${'x'.repeat(500)}`
    await api.call('reportTokens', { body: [{ token: other.token, type: 'x', url: long }] })
    expect(await eventsOf(api, owner, 'token.reported')).toMatchObject([
      { target: { id: other.id, name: other.name }, data: { url: long.slice(0, 500) } },
      { actor: { kind: 'client' }, target: { id: machine.id }, data: { token: machine.tokenId, url } },
    ])
  })

  test.each([[{}], [[{}]], [[{ token: 1 }]], [Array.from({ length: 101 }, () => ({ token: 'a' }))]])(
    'a report that is no list of tokens is refused',
    async (body) => {
      expect((await api.call('reportTokens', { body })).status).toBe(400)
    },
  )
})

test('a workspace has 200 machines', async () => {
  const api = await startTestApi('sqlite')
  const as = await api.newOwner()
  const make = (at: number) => api.call('createMachine', { as, body: { name: `m${at}` } })
  const statuses = (await Promise.all(Array.from({ length: 203 }, (_, at) => make(at)))).map(
    ({ status }) => status,
  )
  expect(statuses.filter((status) => status === 201)).toHaveLength(200)
  const { headers, json } = await api.call('listMachines', { as, query: { limit: '2', offset: '1' } })
  expect([headers.get('x-total-count'), json.length]).toEqual(['200', 2])
  await api.close()
})

test('with MACHINE_TOKENS=0 no token is made, and none works', async () => {
  const api = await startTestApi('sqlite', { machineTokens: false })
  const as = await api.newOwner()
  const { json } = await api.call('createMachine', { as, body: { name: 'm' } })
  const message = 'this server accepts no machine tokens (MACHINE_TOKENS=0)'
  const made = await api.call('createMachineToken', { as, params: { machine_id: json.id } })
  expectError(made, 403, message, 'tokens_off')
  const old = { machine_id: json.id, token_id: json.id }
  const rotated = await api.call('rotateMachineToken', { as, params: old, body: {} })
  expectError(rotated, 403, message, 'tokens_off')
  const token = 'kfm_1qe4Lu2mocTfktLY76oNVmefgoTFePvhPrbkbVEOevO3LSBXn'
  const used = await api.call('getOwnMachine', { headers: { authorization: `Bearer ${token}` } })
  expectError(used, 403, message, 'tokens_off')
  await api.close()
})
