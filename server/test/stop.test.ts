import { generateKeyPairSync } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Program, temporaryFolder } from './program.ts'

let folder: ReturnType<typeof temporaryFolder>
let program: Program
let address: string

beforeEach(async () => {
  folder = temporaryFolder()
  program = new Program({ DATA_DIR: folder.path })
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

test('idle connections do not delay the exit', async () => {
  const withoutMs = await stopTime()
  program = new Program({ DATA_DIR: folder.path })
  await fetch(`${await program.ready()}/healthz`)
  // The server waits up to 4 s for connections that are in use.
  expect((await stopTime()) - withoutMs).toBeLessThan(3_500)
})

async function stopTime(): Promise<number> {
  const begun = performance.now()
  expect(await program.stop()).toEqual({ code: 0, signal: null })
  return performance.now() - begun
}
