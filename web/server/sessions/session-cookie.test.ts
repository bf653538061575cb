import { afterAll, beforeAll, expect, test } from 'vitest'
import { RecordingApi, sendJson } from '../../test/recording-api.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

let api: RecordingApi
let web: Web

beforeAll(async () => {
  api = new RecordingApi()
  api.answer = (_call, response) => sendJson(response, 200, { required: false })
  web = await startTestWeb(await api.listen(), {
    identity: { mode: 'accounts' },
    publicUrl: 'https://keys.apps.example.com',
  })
})

afterAll(async () => {
  await Promise.all([web.close(), api.close()])
})

const TWO = { cookie: '__session=planted; __session=own' }
const ask = (path: string, headers: Record<string, string>, method = 'GET') =>
  fetch(web.address + path, { method, headers, redirect: 'manual' })

test.each(['/', '/bundles', '/approve/7f9c2ba4', '/sign-in', '/account'])(
  'two session cookies: %s is 401 with a page that says so and the way out',
  async (path) => {
    const answer = await ask(path, { ...TWO, accept: 'text/html,*/*' })
    expect([answer.status, answer.headers.get('content-type')]).toEqual([401, 'text/html; charset=utf-8'])
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'")
    const text = await answer.text()
    expect(text).toMatch(/<h1 [^>]*>Two session cookies<\/h1>/)
    expect(text).toContain(`action="/session/clear?return_to=${encodeURIComponent(path)}"`)
    expect(text).not.toMatch(/<script|\{\w+\}|planted/)
  },
)

test.each([
  ['/bundles', 'application/json'],
  ['/api/v1/keys', 'text/html'],
  ['/session', '*/*'],
])('two session cookies: %s that takes %s is the plain 401', async (path, accept) => {
  const answer = await ask(path, { ...TWO, accept })
  expect([answer.status, await answer.json()]).toEqual([401, { error: 'Unauthorized', code: 'unauthorized' }])
})

test('an address that looks like markup stays an address', async () => {
  const answer = await ask('/keys?q="><img>&x', { ...TWO, accept: 'text/html' })
  expect(await answer.text()).not.toContain('<img>')
})

test('clearing drops the cookie of every domain and path that may contain one, and leads back', async () => {
  const path = '/session/clear?return_to=%2Fapprove%2F7f9c2ba4'
  const answer = await ask(path, { ...TWO, 'sec-fetch-site': 'same-origin' }, 'POST')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, '/approve/7f9c2ba4'])
  const dropped = answer.headers.getSetCookie()
  expect(dropped.every((line) => /^__session=; Path=\/\S*;.* ?Max-Age=0$/.test(line))).toBe(true)
  for (const domain of ['', ' Domain=example.com;', ' Domain=keys.apps.example.com;'])
    for (const at of ['/', '/bundles', '/approve/7f9c2ba4'])
      expect(dropped).toContain(`__session=; Path=${at};${domain} Max-Age=0`)
  expect(dropped.join('\n').length).toBeLessThan(3_000)
})

test.each([
  ['/a/b/c/d?x=/y', ['/', '/a', '/a/b', '/a/b/c']],
  [`/${'a'.repeat(63)}/b`, ['/', `/${'a'.repeat(63)}`]],
  [`/${'a'.repeat(64)}/b`, ['/']],
  ['/keys#/x', ['/', '/keys']],
])('clearing on the way back to %s also drops the cookies of its parent paths', async (address, above) => {
  const path = `/session/clear?return_to=${encodeURIComponent(address)}`
  const answer = await ask(path, { ...TWO, 'sec-fetch-site': 'same-origin' }, 'POST')
  const dropped = answer.headers.getSetCookie().filter((line) => !line.includes('Domain='))
  const others = ['/api', '/api/v1', '/approve', '/bundles', '/keys', '/members', '/account', '/invite']
  const wanted = [...new Set([...above, ...others])].map((at) => `__session=; Path=${at}; Max-Age=0`)
  // The size of the headers limits how many cookies one answer drops.
  expect(dropped.length).toBeGreaterThan(above.length + 5)
  expect(dropped).toEqual(wanted.slice(0, dropped.length))
  const domains = answer.headers
    .getSetCookie()
    .flatMap((line) => /Path=\/; Domain=(\S+);/.exec(line)?.[1] ?? [])
  expect(domains).toEqual(['example.com', 'apps.example.com', 'keys.apps.example.com'])
})

test.each([
  `/bundles${'/a'.repeat(900)}`,
  `/bundles/${'a'.repeat(1_900)}`,
  '/bundles/a;Domain=example.com;Max-Age=9',
])('clearing answers shortly and sets nothing else, for any return address', async (address) => {
  const path = `/session/clear?return_to=${encodeURIComponent(address)}`
  const answer = await ask(path, { ...TWO, 'sec-fetch-site': 'same-origin' }, 'POST')
  expect([answer.status, answer.headers.get('location')]).toEqual([303, address])
  const dropped = answer.headers.getSetCookie()
  expect(dropped.join('\n').length).toBeLessThan(3_000)
  const whole = /^__session=; Path=[^;]+;(?: Domain=[^;]+;)? Max-Age=0$/
  expect(dropped.filter((line) => !whole.test(line))).toEqual([])
})

test('with a long server name, the likeliest cookies are dropped and the answer fits the buffer of a proxy', async () => {
  const host = 'keyferry.prod.eu-central-1.internal.our-own-platform.example.com'
  const behindApi = new RecordingApi()
  const behind = await startTestWeb(await behindApi.listen(), {
    identity: { mode: 'accounts' },
    publicUrl: `https://${host}`,
  })
  const path = `/session/clear?return_to=${encodeURIComponent('/approve/7f9c2ba4e88f827d616045507605853e')}`
  const headers = { 'sec-fetch-site': 'same-origin' }
  const answer = await fetch(behind.address + path, { method: 'POST', headers, redirect: 'manual' })
  const dropped = answer.headers.getSetCookie()
  for (const domain of ['', ' Domain=example.com;', ` Domain=${host};`])
    for (const at of ['/', '/approve', '/approve/7f9c2ba4e88f827d616045507605853e'])
      expect(dropped).toContain(`__session=; Path=${at};${domain} Max-Age=0`)
  const others = [...answer.headers].filter(([name]) => name !== 'set-cookie')
  const lines = [
    ...others.map(([name, value]) => `${name}: ${value}`),
    ...dropped.map((line) => `set-cookie: ${line}`),
  ]
  expect(lines.join('\r\n').length).toBeLessThan(4_000)
  await Promise.all([behind.close(), behindApi.close()])
})

test('another site can neither clear nor choose where that leads', async () => {
  const foreign = await ask('/session/clear', { ...TWO, 'sec-fetch-site': 'cross-site' }, 'POST')
  expect([foreign.status, foreign.headers.getSetCookie()]).toEqual([403, []])
  const path = '/session/clear?return_to=//attacker.example'
  const own = await ask(path, { 'sec-fetch-site': 'same-origin' }, 'POST')
  expect(own.headers.get('location')).toBe('/')
})
