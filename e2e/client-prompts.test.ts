import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../cli/test/scripted-server.ts'
import { until } from '../plumbing/test/until.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'
import { closeTerminals, hasTerminal, inTerminal, type Terminal } from './terminal.ts'

const KEYFERRY = [process.execPath, CLIENT_PROGRAM]

describe.skipIf(!hasTerminal())('what the client asks a person at a terminal', () => {
  let approved: ScriptedServer
  let silent: ScriptedServer
  let real: RunningServer
  let home: string
  let project: string

  beforeAll(async () => {
    approved = await startScriptedServer()
    silent = await startScriptedServer({ create: () => ({ isEndless: false, dripMs: 100_000, body: '' }) })
    real = await startServer()
  })

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'keyferry-prompts-'))
    project = join(home, 'project')
    mkdirSync(project)
  })

  afterEach(() => rmSync(home, { recursive: true, force: true }))

  afterAll(async () => {
    closeTerminals()
    approved.close()
    silent.close()
    await real.dispose()
  })

  function environment(server: string | null): Record<string, string | undefined> {
    return {
      PATH: process.env['PATH'],
      HOME: home,
      TERM: 'xterm',
      ...(server === null ? {} : { KEYFERRY_SERVER: server }),
    }
  }

  function keyferry(args: readonly string[], server: string | null = null): Terminal {
    return inTerminal([...KEYFERRY, ...args], { cwd: project, env: environment(server) })
  }

  function commit(server: string): void {
    writeFileSync(join(project, 'keyferry.json'), JSON.stringify({ server, bundle: 'dev/app' }))
  }

  test('a server that a committed file names: yes is remembered for the folder', async () => {
    commit(approved.url)
    const first = keyferry(['run', '--no-open', '--', 'echo', 'started'])
    await first.appears(/Trust this server for this folder\?/)
    expect(first.output()).toContain(approved.url)
    first.type('y\n')
    expect(await first.exit).toBe(0)
    const second = keyferry(['run', '--no-open', '--', 'echo', 'started'])
    expect(await second.exit).toBe(0)
    expect(second.output()).not.toContain('Trust this server')
  })

  test('a question is read from the terminal even if stdin is redirected', async () => {
    commit(approved.url)
    const run = [...KEYFERRY, 'run', '--no-open', '--', 'echo', 'started']
    const argv = ['sh', '-c', 'exec "$@" </dev/null', 'sh', ...run]
    const shown = inTerminal(argv, { cwd: project, env: environment(null) })
    await shown.appears(/Trust this server for this folder\?/)
    shown.type('y\n')
    expect(await shown.exit).toBe(0)
  })

  test('no sends nothing', async () => {
    commit(approved.url)
    const before = approved.asked.length
    const refused = keyferry(['run', '--no-open', '--', 'echo', 'started'])
    await refused.appears(/Trust this server/)
    refused.type('\n')
    expect(await refused.exit).toBe(2)
    expect(approved.asked).toHaveLength(before)
  })

  test('Ctrl-C at the question ends it', async () => {
    commit(approved.url)
    const shown = keyferry(['run', '--no-open', '--', 'echo', 'started'])
    await shown.appears(/Trust this server/)
    shown.type('\x03')
    expect(await shown.exit).toBe(130)
  })

  test('Ctrl-C before the server has answered ends it', async () => {
    const before = silent.asked.length
    const shown = keyferry(['run', '--no-open', '--', 'true'], silent.url)
    await until('a question', () => silent.asked.length > before)
    shown.type('\x03')
    expect(await shown.exit).toBe(130)
    expect(shown.output()).toContain('interrupted')
  })

  test('Ctrl-C while pull waits writes nothing', async () => {
    const waiting = await startScriptedServer({ wait: () => ({ body: { status: 'pending' } }) })
    const shown = keyferry(['pull', '--no-open', '--output', 'values'], waiting.url)
    await shown.appears(/\d:\d\d/)
    shown.type('\x03')
    expect(await shown.exit).toBe(130)
    expect(spawnSync('ls', ['-A', project], { encoding: 'utf8' }).stdout).toBe('')
    waiting.close()
  })

  test('import shows the plan and asks: no changes nothing, yes does it, Ctrl-C ends it', async () => {
    const importing = ['import', '.env', '--bundle', 'prompts/app']
    const run = async (answer: string): Promise<{ code: number; text: string }> => {
      const shown = keyferry(importing, real.url)
      await shown.appears(/2 updated \(PROMPT_A, PROMPT_B\)\s+Import\? \[y\/N\]/)
      shown.type(answer)
      return { code: await shown.exit, text: shown.output() }
    }
    writeFileSync(join(project, '.env'), 'PROMPT_A=1\nPROMPT_B=2\n')
    expect(await keyferry([...importing, '--yes'], real.url).exit).toBe(0)
    writeFileSync(join(project, '.env'), 'PROMPT_A=3\nPROMPT_B=4\n')
    expect(await run('\n')).toMatchObject({ code: 1, text: expect.stringContaining('Nothing was imported') })
    expect(await run('\x03')).toMatchObject({ code: 130 })
    expect(await run('y\n')).toMatchObject({ code: 0, text: expect.stringContaining('Done.') })
  })

  test('an import that Ctrl-C ends is whole or not there, and the same command finishes it', async () => {
    const names = Array.from({ length: 400 }, (_, index) => `HALF_${String(index).padStart(3, '0')}`)
    writeFileSync(join(project, '.env'), names.map((name) => `${name}=x\n`).join(''))
    const importing = ['import', '.env', '--bundle', 'prompts/half', '--yes']
    const first = keyferry(importing, real.url)
    await first.appears(/400 new/)
    first.type('\x03')
    if ((await first.exit) !== 0) expect(first.output()).toContain('all of the file or nothing')
    expect([0, 400]).toContain((await keysIn('prompts/half')).length)
    expect(await keyferry(importing, real.url).exit).toBe(0)
    expect(await keysIn('prompts/half')).toEqual(names)
  })

  async function keysIn(bundleName: string): Promise<string[]> {
    const call = createClient(real.url)
    const [bundle] = await call('GET', '/api/v1/bundles', { query: { query: bundleName } })
    if (bundle === undefined) return []
    const params = { bundle_id: bundle.id }
    return (await call('GET', '/api/v1/bundles/{bundle_id}/keys', { params })).map(({ name }) => name)
  }

  test('values on their way to a terminal are announced', async () => {
    const shown = keyferry(['pull', '--no-open'], approved.url)
    expect(await shown.exit).toBe(0)
    expect(shown.output()).toContain('the values will be printed to this terminal')
  })
})
