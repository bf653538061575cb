import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CLIENT_PROGRAM } from '../../e2e/programs.ts'

const INVALID = -32_600

let folder: string
let mcp: ChildProcess
let answers: AsyncIterator<string>

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-mcp-'))
  const env = { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: folder, BROWSER: 'none' }
  mcp = spawn(process.execPath, [CLIENT_PROGRAM, 'mcp'], {
    env,
    cwd: folder,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  if (!mcp.stdout) throw new Error('the client has no standard output')
  answers = createInterface(mcp.stdout)[Symbol.asyncIterator]()
})
afterEach(() => {
  mcp.kill()
  rmSync(folder, { recursive: true, force: true })
})

const send = (line: string) => mcp.stdin?.write(`${line}\n`)
const answered = async () => JSON.parse((await answers.next()).value)
const asked = (line: string) => {
  send(line)
  return answered()
}
const request = (id: number, method: string, params?: object) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, ...(params ? { params } : {}) })
const begun = async (protocolVersion: string) => {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'lines', version: '1' } }
  expect((await asked(request(0, 'initialize', params))).result.protocolVersion).toBe(protocolVersion)
  send(JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }))
}
const refused = (id: number | null, code: number, message: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
})

test('each line that is no message is answered with an error, and the connection goes on', async () => {
  await begun('2025-11-25')
  expect(await asked('{"jsonrpc": ')).toEqual(refused(null, -32_700, 'a line is no JSON'))
  expect(await asked('7')).toEqual(refused(null, INVALID, 'a message is an object'))
  expect(await asked('{"id":4,"method":"ping"}')).toEqual(refused(4, INVALID, 'jsonrpc is "2.0"'))
  expect(await asked('{"jsonrpc":"2.0","id":5,"method":"tools/list","params":null}')).toEqual(
    refused(5, INVALID, 'params is an object'),
  )
  expect(await asked('{"jsonrpc":"2.0","id":{},"method":"ping"}')).toEqual(
    refused(null, INVALID, 'id is a text or a whole number'),
  )
  expect(await asked(request(6, 'no/such'))).toMatchObject({ id: 6, error: { code: -32_601 } })
  expect((await asked(request(7, 'tools/list'))).result.tools).toHaveLength(1)
})

test('a line of 12 MB is refused and takes no memory, and the next one is answered', async () => {
  await begun('2025-11-25')
  const long = request(1, 'ping', { text: 'x'.repeat(12 * 1_024 * 1_024) })
  expect(await asked(long)).toEqual(refused(null, INVALID, 'a message is at most 1048576 bytes'))
  expect(await asked(request(2, 'ping'))).toEqual({ jsonrpc: '2.0', id: 2, result: {} })
})

test('a batch is answered in the revision that has them', async () => {
  await begun('2025-03-26')
  const bad = '{"jsonrpc":"2.0","id":3,"method":"ping","params":[]}'
  const note = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}'
  const batch: { id: number }[] = await asked(`[${request(1, 'ping')},${note},${request(2, 'ping')},${bad}]`)
  expect(batch.toSorted((a, b) => a.id - b.id)).toEqual([
    { jsonrpc: '2.0', id: 1, result: {} },
    { jsonrpc: '2.0', id: 2, result: {} },
    refused(3, INVALID, 'params is an object'),
  ])
  expect(await asked('[]')).toEqual(refused(null, INVALID, 'a batch has at least one message'))
})

test('a batch is refused in other revisions', async () => {
  await begun('2025-11-25')
  expect(await asked(`[${request(1, 'ping')}]`)).toEqual(
    refused(null, INVALID, 'only revision 2025-03-26 has batches'),
  )
  expect(await asked(request(2, 'ping'))).toMatchObject({ id: 2 })
})
