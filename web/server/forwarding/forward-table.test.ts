import { apiEndpoints, type Endpoint } from '@keyferry/contract'
import { verifyCaller } from '@keyferry/crypto/caller-signature'
import { verifyRequest } from '@keyferry/crypto/request-signature'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { PERSON, type RecordedCall, RecordingApi } from '../../test/recording-api.ts'
import { SECRET, startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

const api = new RecordingApi()
let web: Web

beforeAll(async () => {
  web = await startTestWeb(await api.listen())
})

beforeEach(() => {
  api.calls.length = 0
})

afterAll(async () => {
  await Promise.all([web.close(), api.close()])
})

const rows = Object.entries<Endpoint>(apiEndpoints)
const pathOf = (row: Endpoint) => row.path.replaceAll(/\{\w+\}/g, 'x')
const bearer = { authorization: 'Bearer kfm_of-a-machine' }
const isOpen = (row: Endpoint) => ['public', 'dev', 'program'].includes(row.access)
// The one that this layer calls itself and, in local mode, forwards.
const isProvisioning = (row: Endpoint) => row.access === 'public_or_layer'
const forwarded = rows.filter(([, row]) => row.internal !== true && !isProvisioning(row))
const call = (row: Endpoint) => fetch(web.address + pathOf(row), { method: row.method })

const aboutNow = () => ({ secrets: [SECRET], nowSeconds: Date.now() / 1000, windowSeconds: 5 })

async function onlyCall(): Promise<RecordedCall> {
  await expect.poll(() => api.forwarded.length).toBe(1)
  const [only] = api.forwarded
  if (!only) throw new Error('nothing reached the API')
  return only
}

test.each(forwarded)('%s is forwarded', async (_name, row) => {
  expect((await call(row)).status).toBe(200)
  const { method, path } = await onlyCall()
  expect([method, path]).toEqual([row.method, pathOf(row)])
})

test.each(rows.filter(([, row]) => row.internal === true && row.path.startsWith('/api')))(
  '%s is not reachable from outside',
  async (_name, row) => {
    expect((await call(row)).status).toBe(404)
    expect(api.calls).toEqual([])
  },
)

test.each(forwarded.filter(([, row]) => !isOpen(row)))(
  '%s carries both signatures of the person',
  async (_name, row) => {
    await call(row)
    const { headers, method, path, body } = await onlyCall()
    const caller = { userId: PERSON.user_id, tenantId: PERSON.tenant_id }
    expect(headers['x-user-id']).toBe(caller.userId)
    expect(headers['x-tenant-id']).toBe(caller.tenantId)
    expect(verifyCaller(caller, String(headers['x-signature']), [SECRET])).toBe(true)
    const facts = { method, path, body, clientAddress: '127.0.0.1', ...caller }
    expect(headers['x-client-address']).toBe('127.0.0.1')
    expect(verifyRequest(String(headers['x-signature-v2']), facts, aboutNow())).not.toBeNull()
  },
)

test.each(forwarded.filter(([, row]) => isOpen(row)))(
  '%s carries no identity, only that it comes from this layer',
  async (_name, row) => {
    await call(row)
    const { headers, method, path, body } = await onlyCall()
    const facts = { method, path, body, clientAddress: '127.0.0.1', userId: '', tenantId: '' }
    expect(Object.keys(headers).filter((name) => /^x-(?:user|tenant|signature$)|cookie/.test(name))).toEqual(
      [],
    )
    expect(verifyRequest(String(headers['x-signature-v2']), facts, aboutNow())).not.toBeNull()
  },
)

test('a call that provisions a user is forwarded without a signature, and in hosted modes not at all', async () => {
  const { method, path } = apiEndpoints.ensureUser
  const init = { method, headers: { ...bearer, 'x-user-id': 'x', 'x-signature-v2': 'x' }, body: '{}' }
  expect((await fetch(web.address + path, init)).status).toBe(200)
  const headers = api.calls[0]?.headers ?? {}
  expect(headers['x-forwarded-for']).toBe('127.0.0.1')
  const proofs = Object.keys(headers).filter((name) =>
    /^x-(?:user|tenant|client|sign)|authorization/.test(name),
  )
  expect(proofs).toEqual([])
  const hosted = await startTestWeb('http://127.0.0.1:1', { identity: { mode: 'accounts' } })
  expect((await fetch(hosted.address + path, init)).status).toBe(404)
  await hosted.close()
})

const forMachines = rows.filter(([, row]) => row.access === 'program' || row.program !== undefined)

test.each(forMachines)('%s forwards a bearer token, and no person', async (_name, row) => {
  await fetch(web.address + pathOf(row), { method: row.method, headers: bearer })
  const { headers, method, path, body } = await onlyCall()
  expect(headers['authorization']).toBe(bearer.authorization)
  expect(Object.keys(headers).filter((name) => /^x-(?:user|tenant|signature$)|cookie/.test(name))).toEqual([])
  const facts = { method, path, body, clientAddress: '127.0.0.1', userId: '', tenantId: '' }
  expect(verifyRequest(String(headers['x-signature-v2']), facts, aboutNow())).not.toBeNull()
})

const forOthers = forwarded.filter(([, row]) => row.access !== 'program' && row.program === undefined)

test.each(forOthers)('%s forwards no bearer token', async (_name, row) => {
  await fetch(web.address + pathOf(row), { method: row.method, headers: bearer })
  expect((await onlyCall()).headers['authorization']).toBeUndefined()
})
