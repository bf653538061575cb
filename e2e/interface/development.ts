import { beforeAll, expect, test } from 'vitest'
import { Caller, expectFailure, newAddress, newName, textOf } from './client.ts'
import { newTerminal } from './requests.ts'
import { newPerson, type Running } from './servers.ts'

const GONE = 'request not found or expired'

/** What the settings DEV_ALLOW_PLAINTEXT=1 and REQUEST_TTL change. */
export function development(running: Running): void {
  let caller: Caller
  let [bundle, key] = ['', '']
  const name = newName('TOKEN')
  beforeAll(async () => {
    ;({ caller } = await newPerson(running(), running().developmentUrl))
    bundle = textOf(await caller.post('/api/v1/bundles', { name: newName('app') }), 'id')
    const id = textOf(await caller.post('/api/v1/keys', { name, value: "it's hidden" }), 'id')
    await caller.post(`/api/v1/bundles/${bundle}/keys/${id}`)
    key = `/api/v1/keys/${id}`
  })
  const anyone = () => new Caller(running().developmentUrl)
  const newRequest = () =>
    anyone().post('/api/v1/requests', { client_pubkey: newTerminal().publicKey }, { from: newAddress() })

  test('values are revealed only where the call asks for it', async () => {
    expect(await caller.get(key)).toMatchObject({ json: { value: '*****' } })
    expect(await caller.get(`${key}?reveal=1`)).toMatchObject({ status: 200, json: { value: "it's hidden" } })
    const path = `/api/v1/bundles/${bundle}/export`
    expect(await caller.get(`${path}?format=json&reveal=1`)).toMatchObject({
      json: { [name]: "it's hidden" },
    })
    expect((await caller.get(`${path}?reveal=1`)).text).toContain('hidden')
    expect((await caller.get(path)).text).toContain(`${name}=*****`)
  })

  test('a ciphertext can be stored directly', async () => {
    const path = `/api/v1/requests/${textOf(await newRequest(), 'id')}`
    const ciphertext_base64 = Buffer.from('any bytes').toString('base64')
    const stored = await anyone().call('PUT', `${path}/payload`, { body: { ciphertext_base64 } })
    expect(stored.status).toBe(200)
    const ready = await anyone().get(`${path}/wait`)
    expect([ready.status, ready.json]).toMatchObject([200, { status: 'ready', ciphertext_base64 }])
  })

  test('a request ends with its lifetime, pending or ready', async () => {
    const [pending, ready] = [await newRequest(), await newRequest()]
    expect(pending).toMatchObject({ status: 201, json: { expires_in: 2 } })
    const paths = [pending, ready].map((answer) => `/api/v1/requests/${textOf(answer, 'id')}`)
    const [unanswered = '', approved = ''] = paths
    const approval = { bundle_id: bundle, include_keys: [name] }
    const approve = (path: string) => caller.post(`${path}/encrypt-from-bundle`, approval)
    expect((await approve(approved)).status).toBe(200)
    for (const path of paths)
      await expect
        .poll(async () => (await anyone().get(`${path}/context`)).status, { interval: 200 })
        .toBe(404)
    for (const path of paths) expectFailure(await anyone().get(`${path}/wait`), 404, GONE)
    expectFailure(await approve(unanswered), 404, GONE)
  })
}
