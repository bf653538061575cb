import { generateKeyPairSync } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Program, temporaryFolder } from './program.ts'

let folder: ReturnType<typeof temporaryFolder>
let program: Program
let address: string

beforeEach(async () => {
  folder = temporaryFolder()
  program = new Program({ DATA_DIR: folder.path, LOG_LEVEL: 'info' })
  address = await program.ready()
})

afterEach(async () => {
  await program.stop('SIGKILL')
  folder.remove()
})

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
    await sleep(200)
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

test('a stop ends idle connections first, and a call that is still being sent gets an answer', async () => {
  const idle = opened('GET /healthz HTTP/1.1\r\n', '\r\n')
  await once(idle, 'data')
  const body = '{"client_pubkey":"x"}'
  const fields = `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  const calling = opened('POST /api/v1/requests HTTP/1.1\r\n', `${fields}\r\n{`)
  await sleep(200)
  const stopped = program.stop()
  await once(idle, 'close')
  // The server waits up to 4 s for calls. One that let idle connections last as long would end this one too.
  calling.write(body.slice(1))
  expect(String(await once(calling, 'data'))).toMatch(/^HTTP\/1\.1 \d{3} /)
  expect(await stopped).toEqual({ code: 0, signal: null })
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
