import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { json, text } from 'node:stream/consumers'
import { requestIdOf } from '@keyferry/contract/approval-link'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer } from '../../e2e/start-server.ts'

const VALUES = { GREETING: "it's me", PORT: '3000' }

type Playing = {
  readonly flags?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly kind?: 'mjs' | 'cjs'
  /** Called with the link that is printed for a person. */
  readonly onLink?: (link: string) => unknown
}

/** What programs import from the installed package, on this Node.js and on Node.js 20.
 * @param installed the folder of the installation, once there is one */
export function showImports(installed: () => string, node20: string | null): void {
  describe('imported by a program on this Node.js', () => showOn(process.execPath, installed))
  test('the types are those of the package', () => {
    const program = join(installed(), 'typed.mts')
    writeFileSync(
      program,
      `import { type Approval, deliver, KeyferryError } from 'keyferry/client'
       import 'keyferry/config'
       const values: Record<string, string> = await deliver({ keys: ['A'], onApproval: (it: Approval) => it.link })
       const code: 'denied' | 'aborted' = new KeyferryError('denied', values['A'] ?? '', '').code as 'denied'
       // @ts-expect-error: no such option
       await deliver({ bundel: code })`,
    )
    const flags = ['--ignoreConfig', '--noEmit', '--strict', '--target', 'es2024', '--module', 'nodenext']
    execFileSync('tsc', [program, ...flags, '--types', ''], { cwd: installed(), stdio: 'pipe' })
  })
  describe.skipIf(node20 === null)('imported by a program on Node.js 20', () =>
    showOn(node20 ?? '', installed),
  )
}

/** Hears what a program sends. */
async function openDoor(onJson: (sent: { link: string }) => unknown) {
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    await onJson((await json(request)) as { link: string })
    response.end()
  }
  const server = createServer((request, response) => void answer(request, response))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

async function textOf(stream: Readable, onLink: Playing['onLink']): Promise<string> {
  let said = ''
  stream.setEncoding('utf8').on('data', (part: string) => {
    const before = said
    said += part
    const link = /(http:\S+\/(?:a|approve)\/\S+)\n/.exec(said)?.[1]
    if (link !== undefined && !before.includes(link)) void onLink?.(link)
  })
  await once(stream, 'end')
  return said
}

function idIn(link: string): string {
  const last = new URL(link).pathname.split('/').at(-1) ?? ''
  return requestIdOf(last) ?? last
}

function showOn(node: string, installed: () => string): void {
  let server: Awaited<ReturnType<typeof startServer>>
  let token: string
  let folder: string
  beforeAll(async () => {
    server = await startServer()
    const entries = Object.entries(VALUES).map(([name, value]) => ({ name, value }))
    await call('POST', '/imports', { bundle: 'dev/app', entries })
    const [bundle] = await call('GET', '/bundles')
    const machine = await call('POST', '/machines', { name: 'service' })
    await call('PUT', `/machines/${machine.id}/bundles/${bundle.id}`, { scope: 'deliver' })
    token = (await call('POST', `/machines/${machine.id}/tokens`, {})).token
    folder = installed()
    writeFileSync(join(folder, 'keyferry.json'), JSON.stringify({ bundle: 'dev/app' }))
  })
  afterAll(async () => {
    await server.dispose()
    await rm(join(folder, 'keyferry.json'))
  })

  async function call(method: string, path: string, body?: unknown) {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(`${server.url}/api/v1${path}`, {
      method,
      ...(body === undefined ? {} : { headers, body: JSON.stringify(body) }),
    })
    return JSON.parse(await answer.text())
  }

  /** A module of a program, and what it prints. */
  function play(source: string, { flags = [], env = {}, kind = 'mjs', onLink }: Playing = {}) {
    const file = join(folder, `program.${kind}`)
    writeFileSync(file, source)
    const child = spawn(node, [...flags, file], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, KEYFERRY_SERVER: server.url, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const [printed, said] = [text(child.stdout), textOf(child.stderr, onLink)]
    return Promise.all([printed, said, once(child, 'exit')]).then(([stdout, stderr, [exit]]) => ({
      stdout,
      stderr,
      exit,
    }))
  }

  function keyferry(...words: readonly string[]) {
    return spawnSync(node, [join(folder, 'node_modules/keyferry/bin/keyferry.js'), ...words], {
      cwd: folder,
      env: { PATH: process.env['PATH'], HOME: folder, KEYFERRY_SERVER: server.url },
      input: 'NAME=app\nSIZE=1\n',
      encoding: 'utf8',
    })
  }

  async function approve(link: string) {
    const [bundle] = await call('GET', '/bundles')
    const body = { bundle_id: bundle.id, include_keys: Object.keys(VALUES) }
    return await call('POST', `/requests/${idIn(link)}/encrypt-from-bundle`, body)
  }

  test('the command imports two environments and compares them', () => {
    expect(keyferry('import', '-', '--bundle', 'one/app', '--yes')).toMatchObject({ status: 0 })
    const second = keyferry('import', '-', '--bundle', 'two/app', '--yes')
    expect(second.stderr).toContain('2 shared (NAME, SIZE)')
    expect(keyferry('diff', 'dev/app', 'one/app').stdout).toContain('missing in dev/app')
  })

  test('deliver returns the values to a machine', async () => {
    const source = `import { deliver } from 'keyferry/client'
      console.log(JSON.stringify([await deliver(), await deliver({ bundle: 'dev/app', keys: ['GREETING'] })]))`
    const { stdout, stderr } = await play(source, { env: { KEYFERRY_TOKEN: token } })
    expect([stderr, JSON.parse(stdout)]).toEqual(['', [VALUES, { GREETING: VALUES.GREETING }]])
  })

  test('deliver gives values to an AI agent only where the program says that it reads them', async () => {
    const source = `import { deliver } from 'keyferry/client'
      for (const options of [{}, { forAgent: false }, { forAgent: true }]) {
        const given = deliver({ reason: 'the nightly report', ...options })
        console.log(await given.then(JSON.stringify, ({ code, message }) => code + ': ' + message))
      }`
    const env = { KEYFERRY_TOKEN: token, AI_AGENT: 'helper' }
    const refused = 'usage: helper started this command, and would read the values\n'
    expect(await play(source, { env })).toMatchObject({
      stdout: `${refused}${refused}${JSON.stringify(VALUES)}\n`,
    })
  })

  test('deliver leaves out optional variables that the bundle lacks', async () => {
    const source = `import { deliver } from 'keyferry/client'
      console.log(JSON.stringify(await deliver({ keys: ['GREETING'], optionalKeys: ['PORT', 'NONE'] })))`
    const { stdout } = await play(source, { env: { KEYFERRY_TOKEN: token } })
    expect(JSON.parse(stdout)).toEqual(VALUES)
  })

  test('deliver hands the link to the program, and returns what a person approves', async () => {
    const source = `import { deliver } from 'keyferry/client'
      const onApproval = ({ link, checkCode, expiresInSeconds }) =>
        fetch(process.env.DOOR, { method: 'POST', body: JSON.stringify({ link, checkCode, expiresInSeconds }) })
      console.log(JSON.stringify(await deliver({ onApproval, reason: 'the nightly report' })))`
    const approvals: unknown[] = []
    const door = await openDoor(async (approval) => {
      approvals.push(approval)
      approvals.push(await call('GET', `/requests/${idIn(approval.link)}/context`))
      await approve(approval.link)
    })
    const { stdout, stderr } = await play(source, { env: { DOOR: door.url } })
    door.close()
    expect([stderr, JSON.parse(stdout)]).toEqual(['', VALUES])
    expect(approvals).toEqual([
      { link: expect.stringMatching(/\/approve\//), checkCode: expect.any(String), expiresInSeconds: 300 },
      expect.objectContaining({ requester_meta: expect.objectContaining({ reason: 'the nightly report' }) }),
    ])
  })

  test.each([
    ["{ bundle: 'no such bundle' }", 'usage', {}],
    ["{ bundle: 'other/app' }", 'denied', { KEYFERRY_TOKEN: 'token' }],
    ["{ as: 'machine' }", 'usage', {}],
    ["{ server: 'http://127.0.0.1:1' }", 'network', {}],
    ['{ signal: AbortSignal.timeout(1_000), onApproval() {} }', 'aborted', {}],
    [
      "{ server: 'http://127.0.0.1:1', signal: AbortSignal.timeout(500) }",
      'aborted',
      { KEYFERRY_TOKEN: 'token' },
    ],
  ])('deliver(%s) throws %s', async (options, code, env) => {
    const source = `import { deliver, KeyferryError } from 'keyferry/client'
      const error = await deliver(${options}).catch((caught) => caught)
      console.log(error instanceof KeyferryError, error.code, error.next.length > 0)
      process.exit()`
    const { stdout } = await play(source, { env: 'KEYFERRY_TOKEN' in env ? { KEYFERRY_TOKEN: token } : {} })
    expect(stdout).toBe(`true ${code} true\n`)
  })

  test('deliver gives up also if its signal aborts before the request is made', async () => {
    const source = `import { deliver } from 'keyferry/client'
      const giving = new AbortController()
      // The client reads the reason before it makes the request.
      const options = { signal: giving.signal, onApproval() {}, get reason() { giving.abort() } }
      console.log(await deliver(options).catch(({ code, message, next }) => [code, message, next].join('|')))`
    const said = 'aborted|the delivery was aborted|The program got no values.\n'
    expect(await play(source)).toMatchObject({ stdout: said, exit: 0 })
  })

  const SHOW = `console.log([process.env.GREETING, process.env.PORT, process.env.KEYFERRY_TOKEN].join('|'))`
  test.each<[string, string, Playing]>([
    ['an import', `import 'keyferry/config'\n${SHOW}`, {}],
    ['require', `require('keyferry/config')\n${SHOW}`, { kind: 'cjs' }],
    ['--import', SHOW, { flags: ['--import', 'keyferry/config'] }],
    ['--require', SHOW, { flags: ['--require', 'keyferry/config'], kind: 'cjs' }],
    ['NODE_OPTIONS', SHOW, { env: { NODE_OPTIONS: '--import keyferry/config' } }],
  ])(
    'keyferry/config sets the environment by %s; what is set already stays',
    async (_how, source, playing) => {
      const env = { ...playing.env, KEYFERRY_TOKEN: token, PORT: 'mine' }
      expect(await play(source, { ...playing, env })).toEqual({
        stdout: `${VALUES.GREETING}|mine|\n`,
        stderr: expect.stringMatching(
          /^keyferry: as machine service, by token \S+: 2 values from dev\/app\n$/,
        ),
        exit: 0,
      })
    },
  )

  test('keyferry/config asks once, and workers and child processes have the values', async () => {
    const source = `import 'keyferry/config'
      import { execFileSync } from 'node:child_process'
      import { isMainThread, Worker } from 'node:worker_threads'
      const seen = process.env.GREETING
      if (!isMainThread || process.argv[2]) console.log(seen)
      else {
        execFileSync(process.execPath, [import.meta.filename ?? process.argv[1], 'child'], { stdio: 'inherit' })
        new Worker(new URL(import.meta.url))
      }`
    const { stdout, stderr } = await play(source, { env: { KEYFERRY_TOKEN: token } })
    expect(stdout).toBe(`${VALUES.GREETING}\n${VALUES.GREETING}\n`)
    expect(stderr.match(/as machine/g)).toHaveLength(1)
  })

  test('keyferry/config in a program of keyferry run uses its values without asking', async () => {
    const source = `import { spawnSync } from 'node:child_process'
      const program = [process.execPath, '-e', "require('keyferry/config'); console.log(process.env.GREETING)"]
      const words = ['node_modules/keyferry/bin/keyferry.js', 'run', 'dev/app', '--', ...program]
      spawnSync(process.execPath, words, { stdio: 'inherit' })`
    const { stdout, stderr } = await play(source, { env: { KEYFERRY_TOKEN: token } })
    expect(stdout).toBe(`${VALUES.GREETING}\n`)
    expect(stderr.match(/as machine/g)).toHaveLength(1)
  })

  test('keyferry/config prints the link, and waits for the approval', async () => {
    const { stdout } = await play(`import 'keyferry/config'\n${SHOW}`, { onLink: approve })
    expect(stdout).toBe(`${VALUES.GREETING}|${VALUES.PORT}|\n`)
  })

  const FOREIGN_TOKEN = 'kfm_Zu4Af1hEPvrr1Jl52fl5mhoAyP15JXuDKcjxKCLWMM00B0UBJ'
  test.each([
    [{ KEYFERRY_SERVER: 'http://127.0.0.1:1' }, 'no answer from http:', 'the server does not answer'],
    [{ KEYFERRY_SERVER: 'exa mple' }, 'KEYFERRY_SERVER is not', 'the settings cannot be used'],
    [{ KEYFERRY_TOKEN: FOREIGN_TOKEN }, 'http:', 'the request was denied, or the machine was refused'],
  ])('keyferry/config with %j says why it cannot load the values', async (env, first, why) => {
    const { exit, stderr } = await play(`import 'keyferry/config'\n${SHOW}`, { env })
    expect(exit).toBe(1)
    expect(stderr).toContain(`keyferry: ${first}`)
    expect(stderr).toContain(`keyferry/config could not load the values: ${why}.`)
  })
}
