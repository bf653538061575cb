import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ODD_ANSWERS, startOddServer } from '../../../plumbing/test/odd-server.ts'
import { ClerkBackend } from './clerk/clerk-backend.ts'
import { OidcProvider } from './oidc/oidc-provider.ts'
import { boundedFetch, providerFetch } from './provider-fetch.ts'

const bounded = boundedFetch({ timeoutMs: 300, maxBytes: 100_000 })
const patient = boundedFetch({ timeoutMs: 60_000, maxBytes: 100_000 })

describe.each(Object.entries(ODD_ANSWERS))('a provider that answers with %s', (_name, answer) => {
  let odd: Awaited<ReturnType<typeof startOddServer>>
  beforeEach(async () => {
    odd = await startOddServer(answer)
  })
  afterEach(() => odd.close())

  // A body without an end is whole once the provider closes, so one odd answer may be read.
  test('keeps no call beyond its deadline, and fills no memory', async () => {
    const call = bounded(`http://127.0.0.1:${odd.port}/`, { method: 'GET' })
    const length = await call
      .then((got) => got.arrayBuffer())
      .then(
        (body) => body.byteLength,
        () => null,
      )
    expect(length ?? 0).toBeLessThanOrEqual(100_000)
  })
})

describe('an answer without an end, of a provider that sends fast', () => {
  let odd: Awaited<ReturnType<typeof startOddServer>>
  let url: string
  beforeEach(async () => {
    odd = await startOddServer(ODD_ANSWERS['an endless body'] ?? (() => {}))
    url = `http://127.0.0.1:${odd.port}`
  })
  afterEach(() => odd.close())

  const tooLong = expect.objectContaining({ message: expect.stringContaining('more than') })

  test('ends the discovery of an OpenID provider', async () => {
    const settings = { issuer: url, clientId: 'c', clientSecret: 's', trustsEmail: false }
    const call = new OidcProvider(settings, Date.now).metadata()
    await expect(call).rejects.toMatchObject({ code: 'unavailable', cause: { cause: tooLong } })
  })

  test('ends a call of the Clerk API', async () => {
    await expect(new ClerkBackend(url, 'secret').emailOf('user')).rejects.toMatchObject({ cause: tooLong })
  })
})

const answering = (text: string) => startOddServer((socket) => socket.end(text))

test.each([
  [100_000, 'a whole answer'],
  [100_001, 'Error: the provider answered more than 100000 bytes'],
])('of an answer of %i bytes comes %s', async (length, outcome) => {
  const odd = await answering(`HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n${'x'.repeat(length)}`)
  const said = patient(`http://127.0.0.1:${odd.port}/`, {}).then(() => 'a whole answer', String)
  expect(await said).toBe(outcome)
  odd.close()
})

test.each([204, 205, 304])('an answer of status %i has no body', async (status) => {
  const odd = await answering(`HTTP/1.1 ${status} None\r\ncontent-length: 0\r\n\r\n`)
  const answer = await patient(`http://127.0.0.1:${odd.port}/`, {})
  expect([answer.body, answer.status, answer.statusText]).toEqual([null, status, 'None'])
  odd.close()
})

test('the signal of the caller ends a call too', async () => {
  const ending = new AbortController()
  const odd = await startOddServer(() => ending.abort(new Error('given up')))
  const { signal } = ending
  await expect(providerFetch(`http://127.0.0.1:${odd.port}/`, { signal })).rejects.toThrow('given up')
  odd.close()
})

test('an ordinary answer keeps its status, headers and body', async () => {
  const odd = await startOddServer((socket) =>
    socket.end('HTTP/1.1 404 Not Found\r\ncontent-type: text/plain\r\ncontent-length: 2\r\n\r\nno'),
  )
  const answer = await providerFetch(`http://127.0.0.1:${odd.port}/`, {})
  expect([answer.status, answer.headers.get('content-type'), await answer.text()]).toEqual([
    404,
    'text/plain',
    'no',
  ])
  odd.close()
})
