import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RecordingApi } from '../../test/recording-api.ts'
import { sendRaw, startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

const SCRIPT = 'console.log("a script of some length"); '.repeat(50)

let api: RecordingApi
let web: Web
/** With the app as it is built. */
let real: Web
let folder: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-app-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html>the app')
  writeFileSync(join(folder, 'approve.html'), '<!doctype html>the approval page')
  writeFileSync(join(folder, 'assets/index-4f2a.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/index-4f2a.js.map'), '{}')
  writeFileSync(join(folder, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  api = new RecordingApi()
  const apiUrl = await api.listen()
  web = await startTestWeb(apiUrl, {}, { appFolder: folder })
  real = await startTestWeb(apiUrl)
})

afterAll(async () => {
  await Promise.all([web.close(), real.close(), api.close()])
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(web.address + path, { headers, redirect: 'manual' })

test.each([
  '/',
  '/bundles',
  '/bundles/dev%2Fapp',
  '/keys',
  '/keys/x',
  '/expiry',
  '/members',
  '/account',
  '/invite/token',
])('%s is a page of the app', async (path) => {
  const answer = await get(path)
  expect([answer.status, await answer.text()]).toEqual([200, '<!doctype html>the app'])
})

test('the approval page has its own entry', async () => {
  expect(await (await get('/approve/7f9c2ba4')).text()).toBe('<!doctype html>the approval page')
})

test('a short address leads to the approval page of its request', async () => {
  const answer = await get('/a/f5wrpOiPgn1hYEVQdgWFPg?from=link')
  expect([answer.status, answer.headers.get('location'), answer.headers.get('cache-control')]).toEqual([
    302,
    '/approve/7f9c2ba4e88f827d616045507605853e?from=link',
    'no-store',
  ])
})

test.each([
  '/nothing',
  '/a/x',
  '/a/f5wrpOiPgn1hYEVQdgWFPh',
  '/approve',
  '/assets',
  '/assets/gone.js',
  '/assets/index-4f2a.js.map',
  '/index.html',
  '/approve.html',
])("%s is the app's own 404", async (path) => {
  const answer = await get(path)
  expect([answer.status, await answer.text()]).toEqual([404, '<!doctype html>the app'])
})

test.each(['/api/v1/nothing', '/api/', '/api/v2/keys'])(
  '%s is 404 with the error body of the API',
  async (path) => {
    const answer = await get(path)
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'not found', code: 'not_found' }])
  },
)

test.each([
  '/../package.json',
  '/assets/../../server/main.ts',
  '/assets/%2e%2e/%2e%2e/package.json',
  '//etc/passwd',
])('%s leads to no file', async (path) => {
  const answer = await sendRaw(web.address, `GET ${path} HTTP/1.1\nHost: localhost\nConnection: close\n\n`)
  expect(answer).toMatch(/^HTTP\/1\.1 404 /)
  expect(answer).toContain('the app')
})

const headersOf = (answer: Response) =>
  ['content-type', 'content-length', 'cache-control'].map((name) => answer.headers.get(name))

describe('HEAD', () => {
  test.each([
    '/',
    '/keys',
    '/approve/abc',
    '/healthz',
    '/readyz',
    '/install.sh',
    '/icon.svg',
    '/client/SHA256SUMS',
  ])('%s answers as GET does, without the body', async (path) => {
    const head = await fetch(web.address + path, { method: 'HEAD', redirect: 'manual' })
    const read = await get(path)
    expect([head.status, await head.text(), headersOf(head)]).toEqual([read.status, '', headersOf(read)])
  })

  test.each([
    '/api/v1/requests/abc/wait',
    '/api/v1/keys',
    '/auth/callback?code=a&state=b',
    '/sign-in',
    '/sign-up',
  ])('%s is not there for it, and the API is not called', async (path) => {
    const before = api.calls.length
    expect((await fetch(web.address + path, { method: 'HEAD', redirect: 'manual' })).status).toBe(404)
    expect(api.calls).toHaveLength(before)
  })
})

test('an address with a broken escape is 400', async () => {
  const answer = await sendRaw(
    web.address,
    'GET /bundles/%zz HTTP/1.1\nHost: localhost\nConnection: close\n\n',
  )
  expect(answer).toMatch(/^HTTP\/1\.1 400 /)
  expect(answer).toContain('{"error":"malformed request","code":"invalid"}')
})

test('local mode has nothing to sign in to', async () => {
  for (const path of ['/sign-in', '/sign-up', '/sign-in?return_to=//attacker.example']) {
    const answer = await get(path)
    expect([answer.status, answer.headers.get('location')]).toEqual([302, '/'])
  }
})

test('the session says how people sign in', async () => {
  const answer = await get('/session')
  expect(await answer.json()).toEqual({ auth_mode: 'local', signed_in: true })
})

const policyWith = (formAction: string) =>
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
  `font-src 'self'; manifest-src 'self'; form-action ${formAction}; base-uri 'none'; frame-ancestors 'none'; ` +
  "require-trusted-types-for 'script'; trusted-types 'none'"

describe('headers', () => {
  test('a form of the approval page may be sent to a program on the same computer', async () => {
    const { headers } = await get('/approve/x')
    expect(headers.get('content-security-policy')).toBe(policyWith("'self' http://127.0.0.1:*"))
  })

  test.each(['/', '/assets/index-4f2a.js', '/api/v1/keys', '/nothing', '/session'])(
    '%s runs nothing but our own files',
    async (path) => {
      const { headers } = await get(path)
      expect(headers.get('content-security-policy')).toBe(policyWith("'self'"))
      expect(headers.get('referrer-policy')).toBe('no-referrer')
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('cross-origin-opener-policy')).toBe('same-origin')
    },
  )

  test('a refusal carries them too', async () => {
    const { status, headers } = await get('/', {
      host: 'attacker.example',
      origin: 'http://attacker.example',
    })
    expect(status).toBe(403)
    expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  })

  test('a foreign host name gets an error page with the same headers', async () => {
    const head = 'GET /bundles HTTP/1.1\nHost: keys.example\nAccept: text/html\nConnection: close\n\n'
    const text = await sendRaw(real.address, head)
    expect(text).toMatch(/^HTTP\/1\.1 403 /)
    expect(text).toContain("content-security-policy: default-src 'none'")
    expect(text).toContain('Not the address of this server')
    expect(text).toContain(`<a href="${real.address}" class="link">`)
    expect(text).not.toContain('keys.example')
  })

  test.each([
    ['/', 'no-store'],
    ['/api/v1/keys', 'no-store'],
    ['/assets/index-4f2a.js', 'public, max-age=31536000, immutable'],
    ['/icon.svg', 'public, max-age=3600'],
  ])('%s is cached as %s', async (path, expected) => {
    expect((await get(path)).headers.get('cache-control')).toBe(expected)
  })

  test.each([
    ['gzip, deflate, br', 'br'],
    ['gzip', 'gzip'],
    ['identity', null],
  ])('accepting %s, a file comes as %s', async (accepted, encoding) => {
    const answer = await get('/assets/index-4f2a.js', { 'accept-encoding': accepted })
    expect(answer.headers.get('content-encoding')).toBe(encoding)
    expect(await answer.text()).toBe(SCRIPT)
  })

  test('HSTS is sent where our address is https', async () => {
    expect((await get('/')).headers.get('strict-transport-security')).toBeNull()
    const secure = await startTestWeb('http://127.0.0.1:1', { publicUrl: 'https://keyferry.example.com' })
    const { headers } = await fetch(`${secure.address}/healthz`)
    await secure.close()
    expect(headers.get('strict-transport-security')).toBe('max-age=31536000')
  })
})

test('a new build is served without a restart', async () => {
  const own = mkdtempSync(join(tmpdir(), 'keyferry-app-'))
  const other = await startTestWeb('http://127.0.0.1:1', {}, { appFolder: own })
  const unbuilt = await fetch(other.address)
  expect(unbuilt.status).toBe(503)
  expect(await unbuilt.text()).toContain('npm run build')
  writeFileSync(join(own, 'index.html'), 'built')
  expect(await (await fetch(other.address)).text()).toBe('built')
  await other.close()
})
