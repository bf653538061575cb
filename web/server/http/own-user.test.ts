import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { peerUser } from '@keyferry/plumbing/socket-user'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { RecordingApi } from '../../test/recording-api.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'

const NOBODY = 65_534
const canChangeUser = process.platform === 'linux' && process.getuid?.() === 0
if (!canChangeUser) console.warn('SKIPPED: only root on Linux can call as another user')

const CALL = `exec 3<>/dev/tcp/127.0.0.1/$PORT
printf 'GET %s HTTP/1.1\\r\\nHost: localhost\\r\\nAccept: %s\\r\\nConnection: close\\r\\n\\r\\n' "$1" "$2" >&3
cat <&3`

let api: RecordingApi
let web: Web

beforeAll(async () => {
  api = new RecordingApi()
  web = await startTestWeb(await api.listen())
})

afterAll(async () => {
  await Promise.all([web.close(), api.close()])
})

/** What another process of this user gets from the server. */
async function callAs(uid: number, path: string, accept = '*/*'): Promise<string> {
  const env = { PATH: process.env['PATH'], PORT: new URL(web.address).port }
  const child = spawn('bash', ['-c', CALL, 'call', path, accept], { uid, env, cwd: '/' })
  const chunks: Buffer[] = []
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk))
  await once(child, 'close')
  return Buffer.concat(chunks).toString('utf8')
}

describe.skipIf(!canChangeUser)('without sign-in', () => {
  test('another user of the machine is refused, with the reason', async () => {
    for (const path of ['/session', '/api/v1/keys', '/healthz']) {
      const answer = await callAs(NOBODY, path)
      expect(answer).toMatch(/^HTTP\/1\.1 403 /)
      expect(answer).toContain('"error":"Forbidden: this server belongs to another user of this machine"')
    }
    expect(api.calls).toEqual([])
    expect(await callAs(NOBODY, '/', 'text/html')).toContain('This server belongs to another user')
  })

  test('the user of the server is let in, also over a kept connection', async () => {
    expect(await callAs(0, '/session')).toMatch(/^HTTP\/1\.1 200 /)
    for (let count = 0; count < 3; count += 1)
      expect((await fetch(`${web.address}/session`)).status).toBe(200)
  })

  test('with sign-in, every user of the machine can reach the server', async () => {
    const other = await startTestWeb('http://127.0.0.1:1', { identity: { mode: 'accounts' } })
    const local = web
    web = other
    const answer = await callAs(NOBODY, '/healthz')
    web = local
    await other.close()
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })
})

describe.skipIf(process.platform !== 'linux')('the user of a connection', () => {
  test.each(['127.0.0.1', '::1'])('is known on %s, until its process closes it', async (host) => {
    const server = createServer({ allowHalfOpen: true }).listen(0, host)
    await once(server, 'listening')
    const address = server.address()
    const client = connect(typeof address === 'object' ? (address?.port ?? 0) : 0, host)
    const [accepted]: Socket[] = await once(server, 'connection')
    if (!accepted) throw new Error('no connection')
    expect(await peerUser(accepted)).toBe(process.getuid?.())
    client.end()
    client.destroy()
    await once(client, 'close')
    expect(await peerUser(accepted)).toBeNull()
    accepted.destroy()
    server.close()
  })
})
