import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type Answer,
  Caller,
  expectFailure,
  expectRetryAfter,
  newAddress,
  newName,
  textOf,
} from './client.ts'
import { newTerminal } from './requests.ts'
import { type Kind, newPerson, type Service } from './servers.ts'

const { publicKey: client_pubkey } = newTerminal()

/** A wait for a request that nobody approves. */
export async function openWait(url: string): Promise<Answer> {
  const [anyone, from] = [new Caller(url), newAddress()]
  const id = textOf(await anyone.post('/api/v1/requests', { client_pubkey }, { from }), 'id')
  return await anyone.get(`/api/v1/requests/${id}/wait`, { from })
}

/** The limits of the interface, each counted for one client's address. */
export function limits(started: () => { service: Service; waiting: Promise<Answer> }, kind: Kind): void {
  const running = () => started().service
  const anyone = () => new Caller(running().url)

  const ask = (from: string) => anyone().post('/api/v1/requests', { client_pubkey }, { from })

  test('a client can make 10 requests a minute', async () => {
    const from = newAddress()
    for (let call = 0; call < 10; call += 1) expect((await ask(from)).status).toBe(201)
    expectTooMany(await ask(from))
    expect((await ask(newAddress())).status).toBe(201)
  })

  test('a client can wait 100 times a minute', async () => {
    const from = newAddress()
    const wait = () => anyone().get('/api/v1/requests/no-such-request/wait', { from })
    for (let call = 0; call < 100; call += 1) expect((await wait()).status).toBe(404)
    expectTooMany(await wait())
  })

  test('a wait without an approval is answered as pending, after at most 30 seconds', async () => {
    expect(await started().waiting).toMatchObject({ status: 200, json: { status: 'pending' } })
  })

  test('other endpoints have no limit', async () => {
    const { caller } = await newPerson(running(), running().url)
    const name = newName('app')
    await caller.post('/api/v1/bundles', { name })
    for (let call = 0; call < 200; call += 1)
      expect((await caller.get(`/api/v1/bundles?query=${name}`)).status).toBe(200)
  })

  if (kind !== 'the local all-in-one server') signIns(anyone)
}

/** Local accounts. */
function signIns(anyone: () => Caller): void {
  test('a client can sign in 5 times in 15 minutes, and set up 3 times an hour', async () => {
    const [from, other] = [newAddress(), newAddress()]
    const body = { email: `${randomUUID()}@example.com`, password: 'not the password' }
    const logIn = () => anyone().post('/api/v1/auth/login', body, { from })
    for (let call = 0; call < 5; call += 1) expect([401, 403]).toContain((await logIn()).status)
    expectTooMany(await logIn())
    const setUp = () => anyone().post('/api/v1/auth/setup', body, { from: other })
    for (let call = 0; call < 3; call += 1) expect((await setUp()).status).toBeLessThan(429)
    expectTooMany(await setUp())
  })

  test('failed sign-ins lock an account', async () => {
    const body = { email: `${randomUUID()}@example.com`, password: 'not the password' }
    const logIn = () => anyone().post('/api/v1/auth/login', body, { from: newAddress() })
    let answer = await logIn()
    expectFailure(answer, 401, 'Unauthorized')
    for (let call = 0; call < 20 && answer.status === 401; call += 1) answer = await logIn()
    expect(answer.status).toBe(403)
    expect(textOf(answer, 'error')).toMatch(/^Account locked until \d{4}-\d\d-\d\dT\d\d:\d\d/)
  })
}

function expectTooMany(answer: Answer): void {
  expectFailure(answer, 429, 'Too many requests')
  expectRetryAfter(answer)
  const { 'x-ratelimit-reset': reset = Date.now() / 1_000 } = answer.headers
  expect(Math.abs(Number(reset) - Date.now() / 1_000)).toBeLessThan(3_700)
}
