import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CLIENT_PROGRAM } from '../../e2e/programs.ts'

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

test('a line that is no message is passed over, and the connection goes on', async () => {
  await begun('2025-11-25')
  send('{"jsonrpc": ')
  send('7')
  send('{"id":4,"method":"ping"}')
  send(`[${request(5, 'ping')}]`)
  expect(await asked(request(6, 'no/such'))).toMatchObject({ id: 6, error: { code: -32_601 } })
  // A host asks its person before each call of such a tool.
  const annotations = {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  }
  const title = 'Run a command with approved secrets'
  const sentences = ['Run one command with', 'You get the exit code', 'If the result is "waiting", show']
  const description = new RegExp(`^${sentences.join('.*[.] ')}.*[.]$`)
  expect((await asked(request(7, 'tools/list'))).result.tools).toMatchObject([
    { name: 'run', title, description, annotations },
  ])
})

test('a line of 12 MB ends the connection', async () => {
  await begun('2025-11-25')
  const ended = once(mcp, 'exit')
  // It ends before it has read the whole line.
  mcp.stdin?.on('error', () => undefined)
  send(request(1, 'ping', { text: 'x'.repeat(12 * 1_024 * 1_024) }))
  expect(await ended).toEqual([0, null])
})
