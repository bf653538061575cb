import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { RecordingApi } from '../../test/recording-api.ts'
import { sendRaw, startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

let api: RecordingApi
let web: Web
let port: string

beforeAll(async () => {
  api = new RecordingApi()
  web = await startTestWeb(await api.listen(), { publicUrl: 'http://keyferry.test:8080' })
  port = new URL(web.address).port
})

afterAll(async () => {
  await Promise.all([web.close(), api.close()])
})

beforeEach(() => {
  api.calls.length = 0
})

/** @returns the status */
async function send(line: string, headers: Readonly<Record<string, string>>, body = ''): Promise<number> {
  const rows = Object.entries({ ...headers, Connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  const answer = await sendRaw(web.address, `${line} HTTP/1.1\n${rows.join('\n')}\n\n${body}`)
  return Number(answer.split(' ')[1])
}

const READ = 'GET /api/v1/keys'
const WRITE = 'DELETE /api/v1/keys/x'

describe('local mode answers under names of this machine only', () => {
  test.each([
    '127.0.0.1',
    '127.0.0.1:1',
    'localhost:5393',
    'keys.localhost',
    '[::1]:5393',
    'keyferry.test:8080',
  ])('%s is ours', async (host) => expect(await send(READ, { Host: host })).toBe(200))

  test.each([
    'attacker.example',
    'attacker.example:5393',
    '127.0.0.1.attacker.example',
    'localhost.attacker.example',
    'notlocalhost',
    '127.0.0.1@attacker.example',
    '192.168.1.9:5393',
    '0.0.0.0',
    'keyferry.test',
    'keyferry.test:8081',
    '',
  ])('%j is not', async (host) => {
    expect(await send(READ, { Host: host })).toBe(403)
    expect(await send('GET /', { Host: host })).toBe(403)
    expect(api.calls).toEqual([])
  })
})

test('a second Host is refused, even if one of them is ours', async () => {
  const own = `127.0.0.1:${port}`
  for (const [first, second] of [
    [own, 'attacker.example'],
    ['attacker.example', own],
    [own, own],
  ]) {
    expect(await send(READ, { Host: first ?? '', host: second ?? '' })).toBe(400)
    expect(await send('GET /', { Host: first ?? '', HOST: second ?? '' })).toBe(400)
  }
  expect(api.calls).toEqual([])
})

describe('local mode refuses what another origin sends, public calls too', () => {
  test.each([
    'http://attacker.example',
    'null',
    'http://localhost:3000',
    'https://127.0.0.1',
    'http://127.0.0.1',
  ])('Origin %s', async (origin) => {
    const headers = { Host: `127.0.0.1:${port}`, Origin: origin }
    expect(await send(READ, headers)).toBe(403)
    expect(await send('POST /api/v1/requests', headers)).toBe(403)
    expect(api.calls).toEqual([])
  })

  test('its own pages may call', async () => {
    const Host = `127.0.0.1:${port}`
    expect(await send(READ, { Host, Origin: `http://${Host}` })).toBe(200)
    expect(await send(READ, { Host, Origin: 'http://keyferry.test:8080' })).toBe(200)
  })
})

describe('a call that writes comes from our own page, or from no browser at all', () => {
  test.each([
    ['same-origin', 200],
    ['same-site', 403],
    ['cross-site', 403],
    ['none', 403],
    ['SAME-ORIGIN', 403],
  ])('Sec-Fetch-Site: %s → %i', async (site, status) => {
    expect(await send(WRITE, { Host: `localhost:${port}`, 'Sec-Fetch-Site': site })).toBe(status)
  })

  test('a program that is not a browser may write on the same machine', async () => {
    expect(await send(WRITE, { Host: `localhost:${port}` })).toBe(200)
  })

  test.each([
    ['same-origin', 200],
    ['none', 200],
    ['same-site', 403],
    ['cross-site', 403],
  ])('a read with Sec-Fetch-Site: %s → %i', async (site, status) => {
    expect(await send(READ, { Host: `localhost:${port}`, 'Sec-Fetch-Site': site })).toBe(status)
  })

  test.each([
    ['application/json', 200],
    ['application/json; charset=utf-8', 200],
    ['Application/JSON', 200],
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/jsonp', 415],
  ])('a body of type %s → %i', async (type, status) => {
    const headers = { Host: `localhost:${port}`, 'Content-Type': type, 'Content-Length': '2' }
    expect(await send('POST /api/v1/keys', headers, '{}')).toBe(status)
  })
})
