import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, readlinkSync, unlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { get as httpGet, type IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { clientFolder, fakePackage, fakeProgram, VERSION, writeFiles } from '../../test/client-folder.ts'
import { RecordingApi } from '../../test/recording-api.ts'
import { sendRaw, startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

const PROGRAM = `keyferry-${VERSION}-linux-x64.gz`
const LARGE = `keyferry-${VERSION}-linux-arm64.gz`
const FILES = {
  [PROGRAM]: fakeProgram('linux-x64'),
  [LARGE]: Buffer.alloc(32 * 1024 * 1024, 7),
  [`keyferry-${VERSION}.tgz`]: fakePackage(),
  [`keyferry-${VERSION}.cdx.json`]: Buffer.from('{}'),
  'keyferry-0.0.0-old-linux-x64.gz': fakeProgram('old'),
}

let api: RecordingApi
let web: Web
let bare: Web
let hosted: Web
let folder: string

beforeAll(async () => {
  api = new RecordingApi()
  const apiUrl = await api.listen()
  folder = clientFolder(FILES)
  writeFileSync(join(folder, 'unlisted.gz'), 'not for anyone')
  web = await startTestWeb(apiUrl, { clientDir: folder })
  bare = await startTestWeb(apiUrl)
  hosted = await startTestWeb(apiUrl, {
    clientDir: folder,
    publicUrl: "https://it's.$(id).example",
    identity: { mode: 'accounts' },
  })
})

afterAll(async () => {
  await Promise.all([web.close(), bare.close(), hosted.close(), api.close()])
})

const get = (path: string, init: RequestInit = {}) => fetch(web.address + path, init)

test.each(['/install.sh', '/install.ps1'])(
  '%s names each file of this version with its checksum',
  async (path) => {
    const answer = await get(path)
    const script = await answer.text()
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8')
    expect(script).toContain(`linux-x64 ${PROGRAM} ${hash('sha256', FILES[PROGRAM] ?? '')}`)
    expect(script).toContain(`package keyferry-${VERSION}.tgz `)
    expect(script).toContain(`'${web.address}'`)
    expect(script).not.toMatch(/old-linux|unlisted|cdx|@[A-Z]+@/)
  },
)

test('the scripts know the server by its own address, never by the Host of the call', async () => {
  const asked =
    'GET /install.sh HTTP/1.1\nHost: evil.example\nX-Forwarded-Host: evil.example\nConnection: close\n\n'
  const answer = await sendRaw(hosted.address, asked)
  expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  expect(answer).not.toContain('evil.example')
})

test('an address with quotes in it stays one word in both shells', async () => {
  const [sh, ps] = await Promise.all(
    ['/install.sh', '/install.ps1'].map(async (path) => await (await fetch(hosted.address + path)).text()),
  )
  expect(sh).toContain(`origin='https://it'\\''s.$(id).example'\n`)
  expect(ps).toContain(`$origin = 'https://it''s.$(id).example'\n`)
})

test('a file comes whole, with its size, and a cache may ask for it again by its checksum', async () => {
  const answer = await get(`/client/${PROGRAM}`)
  expect(Buffer.from(await answer.arrayBuffer()).equals(FILES[PROGRAM] ?? Buffer.alloc(0))).toBe(true)
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-length': String(FILES[PROGRAM]?.length),
    'content-disposition': `attachment; filename="${PROGRAM}"`,
    'cache-control': 'public, no-cache',
    'x-content-type-options': 'nosniff',
  })
  const etag = answer.headers.get('etag') ?? ''
  expect((await get(`/client/${PROGRAM}`, { headers: { 'if-none-match': etag } })).status).toBe(304)
  const head = await get(`/client/${PROGRAM}`, { method: 'HEAD' })
  expect([head.status, head.headers.get('content-length')]).toEqual([200, String(FILES[PROGRAM]?.length)])
})

test('the list of checksums is the one of the folder, byte for byte, because it may be signed', async () => {
  const list = await (await get('/client/SHA256SUMS')).text()
  expect(list).toBe(readFileSync(join(folder, 'SHA256SUMS'), 'utf8'))
})

test.each([
  '/client/unlisted.gz',
  '/client/keyferry-0.0.0-old-linux-x64.gz',
  '/client/..%2fpackage.json',
  '/client/%2fetc%2fpasswd',
  '/client/nothing',
])('%s is not served', async (path) => {
  const answer = await get(path)
  expect([answer.status, await answer.json()]).toEqual([
    404,
    { error: 'this server has no such file', code: 'not_found' },
  ])
})

test('a server without files still answers with a script, which says so', async () => {
  const answer = await fetch(`${bare.address}/install.sh`)
  expect(answer.status).toBe(200)
  expect(await answer.text()).toContain("files=''")
})

test('a new release is found without a restart', async () => {
  const other = clientFolder({ [PROGRAM]: fakeProgram('first') })
  const server = await startTestWeb('http://127.0.0.1:1', { clientDir: other })
  const before = await (await fetch(`${server.address}/client/${PROGRAM}`)).arrayBuffer()
  writeFiles(other, { [PROGRAM]: fakeProgram('second') })
  utimesSync(join(other, 'SHA256SUMS'), 1, 2)
  const after = await (await fetch(`${server.address}/client/${PROGRAM}`)).arrayBuffer()
  unlinkSync(join(other, PROGRAM))
  const gone = await fetch(`${server.address}/client/${PROGRAM}`)
  await server.close()
  expect(Buffer.from(after).equals(Buffer.from(before))).toBe(false)
  expect(gone.status).toBe(404)
})

/** How many descriptors of this process lead to the large file. */
const openFiles = () =>
  readdirSync('/proc/self/fd')
    .map(fileOf)
    .filter((path) => path.endsWith(LARGE)).length

function fileOf(descriptor: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '' // just closed
    throw error
  }
}

test('a caller who disconnects in the middle leaves no open file', async () => {
  for (let count = 0; count < 20; count++) await fetchOneByte(`${web.address}/client/${LARGE}`)
  await expect.poll(openFiles).toBe(0)
})

async function fetchOneByte(url: string): Promise<void> {
  const [answer]: IncomingMessage[] = await once(httpGet(url, { agent: false }), 'response')
  await once(answer ?? process, 'readable')
  answer?.destroy()
}
