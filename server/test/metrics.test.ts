import { freePort } from '@keyferry/plumbing/free-port'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Program, temporaryFolder } from './program.ts'

let folder: ReturnType<typeof temporaryFolder>
let program: Program

beforeEach(() => {
  folder = temporaryFolder()
})

afterEach(async () => {
  await program.stop('SIGKILL')
  folder.remove()
})

// A port that was free a moment ago may be taken by another test.
async function startMeasured(tries = 3): Promise<{ port: number; address: string }> {
  const port = await freePort()
  program = new Program({ DATA_DIR: folder.path, METRICS_PORT: String(port) })
  try {
    return { port, address: await program.ready() }
  } catch (error) {
    if (tries === 1 || !program.stderr.includes('is in use')) throw error
    return await startMeasured(tries - 1)
  }
}

test('a separate address serves the metrics of both layers, by route and never by id', async () => {
  const { port, address } = await startMeasured()
  await fetch(`${address}/api/v1/bundles/an-id-that-stays-out`)
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  for (const part of ['web', 'api'])
    expect(text).toMatch(
      new RegExp(
        `keyferry_calls_total\\{part="${part}",method="GET",route="/api/v1/bundles/:bundle_id",status="404"\\} 1`,
      ),
    )
  expect(text).toContain('keyferry_held_calls 0')
  expect(text).toContain('keyferry_audit_problems 0')
  expect(text).toContain('process_resident_memory_bytes')
  expect(text).not.toContain('an-id-that-stays-out')
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  expect((await fetch(`${address}/metrics`)).headers.get('content-type')).toContain('text/html')
  expect(await program.stop()).toEqual({ code: 0, signal: null })
})

test('nothing is served where no port is named', async () => {
  program = new Program({ DATA_DIR: folder.path })
  expect((await fetch(`${await program.ready()}/metrics`)).status).toBe(404)
})
