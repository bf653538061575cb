import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type Server } from 'node:net'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { afterAll, afterEach, expect, test } from 'vitest'
import { SERVER_COMMAND } from '../../e2e/programs.ts'
import { inheritedSockets } from '../src/inherited-sockets.ts'
import { StartError } from '../src/start-error.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const started: ChildProcess[] = []
const opened: Server[] = []

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL')
  closeOwn()
})

afterAll(() => folder.remove())

function closeOwn(): void {
  for (const server of opened.splice(0)) server.close()
}

/** A listening socket, for a program that this process starts. */
async function openSocket(host: string, port = 0): Promise<{ fd: number; port: number }> {
  const server = createServer().listen(port, host)
  opened.push(server)
  await once(server, 'listening')
  const address = server.address()
  const { fd } = Reflect.get(server, '_handle') as { fd: number }
  if (address === null || typeof address === 'string') throw new Error('no port')
  return { fd, port: address.port }
}

/** The program as systemd starts it on these sockets. The shell keeps the process id. */
function activated(
  settings: Readonly<Record<string, string>>,
  sockets: readonly number[],
  words: string[] = [],
) {
  const script = 'LISTEN_PID=$$; export LISTEN_PID; exec "$0" "$@"'
  const child = spawn('/bin/sh', ['-c', script, ...SERVER_COMMAND, ...words], {
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: folder.path,
      LISTEN_FDS: String(sockets.length),
      AUTH_MODE: 'accounts',
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe', ...sockets],
  })
  started.push(child)
  // The program keeps the sockets. This process must not take their connections.
  closeOwn()
  return child
}

const said = (stream: Readable | null) => text(stream ?? Readable.from([]))

async function health(host: string, port: number): Promise<string> {
  const socket = connect(port, host)
  socket.end('GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  return (await text(socket)).split('\r\n', 1)[0] ?? ''
}

test('the server answers on each socket that it inherits, and ends in time', async () => {
  const four = await openSocket('127.0.0.1')
  const six = await openSocket('::1', four.port)
  const child = activated({ PUBLIC_URL: `http://localhost:${four.port}` }, [four.fd, six.fd])
  const announced = said(child.stdout)
  const asked = [health('127.0.0.1', four.port), health('::1', four.port)]
  expect(await Promise.all(asked)).toEqual(['HTTP/1.1 200 OK', 'HTTP/1.1 200 OK'])
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([0, null])
  expect(await announced).toContain(`Listens   http://127.0.0.1:${four.port}`)
})

test.each([
  ['a server without sign-in', { AUTH_MODE: 'local' }, [], 'AUTH_MODE'],
  ['a server that cannot know its address', {}, [], 'PUBLIC_URL is missing'],
  [
    'the internal API',
    { BFF_SHARED_SECRET: randomBytes(32).toString('base64') },
    ['api'],
    'opens its own socket',
  ],
])('%s refuses them', async (_, settings, words, reason) => {
  const { fd } = await openSocket('127.0.0.1')
  const child = activated(settings, [fd], words)
  const [line, [code]] = await Promise.all([said(child.stderr), once(child, 'exit')])
  expect([code, line]).toEqual([1, expect.stringContaining(reason)])
})

test('only sockets for this process count', () => {
  expect(inheritedSockets({ LISTEN_PID: '7', LISTEN_FDS: '2' }, 7)).toEqual([3, 4])
  expect(inheritedSockets({ LISTEN_PID: '8', LISTEN_FDS: '2' }, 7)).toBeNull()
  expect(inheritedSockets({}, 7)).toBeNull()
  for (const LISTEN_FDS of ['', '0', '-1', 'x', '1.5', undefined])
    expect(() => inheritedSockets({ LISTEN_PID: '7', LISTEN_FDS }, 7)).toThrow(StartError)
})
