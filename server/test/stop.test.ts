import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { until } from '../../plumbing/test/until.ts'
import { Program, startMeasured, temporaryFolder } from './program.ts'

let folder: ReturnType<typeof temporaryFolder>
let program: Program
let address: string
let metricsPort: number

beforeEach(async () => {
  folder = temporaryFolder()
  // Long enough for a busy machine. A server that waits for nothing stops at once.
  const settings = { DATA_DIR: folder.path, LOG_LEVEL: 'info', STOP_SECONDS: '300' }
  ;({ program, address, port: metricsPort } = await startMeasured(settings))
})

afterEach(async () => {
  await program.stop('SIGKILL')
  folder.remove()
})

const metrics = async () => (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()

async function createRequest(): Promise<string> {
  const { x } = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' })
  const answer = await fetch(`${address}/api/v1/requests`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_pubkey: x }),
  })
  const { id } = (await answer.json()) as { id: string }
  return id
}

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s answers waiting callers and exits with code 0 in time',
  async (signal) => {
    const id = await createRequest()
    const waiting = fetch(`${address}/api/v1/requests/${id}/wait`).then(async (answer) => await answer.json())
    await until('a waiting call', async () => (await metrics()).includes('keyferry_held_calls 1\n'))
    expect(await program.stop(signal)).toEqual({ code: 0, signal: null })
    expect(await waiting).toEqual({ status: 'pending' })
  },
)

test('a request that was pending still is after a restart', async () => {
  const id = await createRequest()
  await program.stop('SIGKILL')
  program = new Program({ DATA_DIR: folder.path })
  address = await program.ready()
  const context = await fetch(`${address}/api/v1/requests/${id}/context`)
  expect(context.status).toBe(200)
})

const BODY = '{"client_pubkey":"x"}'

/** An idle connection, and a call whose head the server has read. */
async function beginCalls() {
  const idle = opened('GET /healthz HTTP/1.1\r\n', '\r\n')
  await once(idle, 'data')
  const fields = `Content-Type: application/json\r\nContent-Length: ${BODY.length}\r\n`
  const calling = opened('POST /api/v1/requests HTTP/1.1\r\n', `${fields}Expect: 100-continue\r\n\r\n`)
  expect(String(await once(calling, 'data'))).toContain('100 Continue')
  return { idle, calling }
}

test('a stop ends idle connections first, and a call that is still being sent gets an answer', async () => {
  const { idle, calling } = await beginCalls()
  const stopped = program.stop()
  await once(idle, 'close')
  // A server that let idle connections last as long as it waits for calls would end this one too.
  calling.write(BODY)
  expect(String(await once(calling, 'data'))).toMatch(/^HTTP\/1\.1 \d{3} /)
  expect(await stopped).toEqual({ code: 0, signal: null })
})

test('a second signal ends the calls too', async () => {
  const { idle, calling } = await beginCalls()
  calling.on('error', () => undefined)
  const exited = once(program.child, 'exit')
  program.child.kill('SIGTERM')
  await once(idle, 'close')
  program.child.kill('SIGINT')
  expect(await exited).toEqual([130, null])
})

test('a server whose log reader is gone stops too', async () => {
  program.child.stdout?.destroy()
  await createRequest()
  expect(await program.stop()).toEqual({ code: 0, signal: null })
})

test('a server whose log nobody reads stops in time', async () => {
  program.child.stdout?.pause()
  const calls = Array.from({ length: 4_000 }, () => 0)
  const callers = Array.from({ length: 8 }, async () => {
    while (calls.pop() !== undefined) await fetch(`${address}/healthz`)
  })
  await Promise.all(callers)
  const exited = once(program.child, 'exit')
  program.child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
})

function opened(line: string, rest: string): Socket {
  const { host, hostname, port } = new URL(address)
  const socket = connect(Number(port), hostname)
  socket.write(`${line}Host: ${host}\r\n${rest}`)
  return socket
}
