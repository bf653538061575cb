import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterEach, describe, expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import { callEndpoint } from './endpoint-call.ts'
import { httpExchange } from './http-exchange.ts'

const NOBODY = 65_534
const canChangeUser = process.platform === 'linux' && process.getuid?.() === 0
if (!canChangeUser) console.warn('SKIPPED: only root on Linux can start a server as another user')

// Prints its port, then every byte that it gets; answers each call.
const SERVER = `
const server = require('node:net').createServer((socket) => socket.on('data', (bytes) => {
  process.stdout.write(bytes)
  socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\n{}')
}).on('error', () => {}))
server.listen(0, process.argv[1], () => console.log(server.address().port))`

const children = new Set<ChildProcess>()
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
})

/** A server of this user: its port, and what it received so far. */
async function serveAs(uid: number, host: string): Promise<{ port: number; received: () => string }> {
  const child = spawn(process.execPath, ['-e', SERVER, host], { uid, gid: uid, cwd: '/', env: {} })
  children.add(child)
  let text = ''
  child.stdout.on('data', (bytes: Buffer) => {
    text += bytes.toString('latin1')
  })
  await once(child.stdout, 'data')
  const port = Number(text)
  return { port, received: () => text.slice(String(port).length + 1) }
}

const withSecret = (server: string, exchange = httpExchange({})) =>
  callEndpoint({ server, exchange }, 'importVariables', {
    headers: { authorization: 'Bearer planted-token' },
    body: { value: 'planted-value' },
  })

describe.skipIf(!canChangeUser)('a server on this machine', () => {
  test.each([
    ['127.0.0.1', '127.0.0.1'],
    ['0.0.0.0', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['::1', '[::1]'],
    ['::', '[::1]'],
    ['127.0.0.1', 'localhost'],
    ['127.0.0.1', 'team.localhost'],
  ])('of another user at %s gets no byte through %s', async (host, name) => {
    const { port, received } = await serveAs(NOBODY, host)
    await expect(withSecret(`http://${name}:${port}`)).rejects.toMatchObject({
      exitCode: 6,
      isPassing: false,
      message: expect.stringContaining('runs as another user of this machine'),
    })
    expect(received()).toBe('')
  })

  test('of this user is called', async () => {
    const { port, received } = await serveAs(0, '127.0.0.1')
    expect((await withSecret(`http://127.0.0.1:${port}`)).status).toBe(200)
    expect(received()).toContain('planted-value')
  })

  test('of another user that listens beside this user’s own is not confused with it', async () => {
    const own = createServer((_, response) => response.end('{}')).listen(0, '127.0.0.1')
    await once(own, 'listening')
    const address = own.address()
    const port = typeof address === 'object' ? (address?.port ?? 0) : 0
    const child = spawn(process.execPath, ['-e', SERVER.replace('listen(0', `listen(${port}`), '::1'], {
      uid: NOBODY,
      cwd: '/',
      env: {},
    })
    children.add(child)
    await once(child.stdout, 'data')
    expect((await withSecret(`http://127.0.0.1:${port}`)).status).toBe(200)
    await expect(withSecret(`http://[::1]:${port}`)).rejects.toThrow('another user')
    own.closeAllConnections()
    own.close()
  })

  test('of another user is called on a socket that root opened', async () => {
    const roots = createServer().listen(0, '127.0.0.1')
    await once(roots, 'listening')
    const { fd } = Reflect.get(roots, '_handle') as { fd: number }
    const child = spawn(process.execPath, ['-e', SERVER.replace('0, process.argv[1]', '{ fd: 3 }')], {
      uid: NOBODY,
      gid: NOBODY,
      cwd: '/',
      env: {},
      stdio: ['ignore', 'pipe', 'inherit', fd],
    })
    children.add(child)
    // The child keeps the socket. This process must not take its connections.
    roots.close()
    const [port] = await once(child.stdout ?? process.stdin, 'data')
    expect((await withSecret(`http://127.0.0.1:${Number(port)}`)).status).toBe(200)
  })

  test('of the person who called sudo is called by root', async () => {
    const { port } = await serveAs(NOBODY, '127.0.0.1')
    const { exchange } = stage({}, '/')
    const server = `http://127.0.0.1:${port}`
    await expect(withSecret(server, exchange)).rejects.toThrow('another user')
    expect((await withSecret(server, httpExchange({ SUDO_UID: String(NOBODY) }))).status).toBe(200)
  })
})
