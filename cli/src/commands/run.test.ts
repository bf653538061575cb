import { tmpdir } from 'node:os'
import { shortApprovalPath } from '@keyferry/contract/approval-link'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../../test/scripted-server.ts'
import { type Stage, stage } from '../../test/stage.ts'
import { run } from './run.ts'

let server: ScriptedServer
let scene: Stage

beforeEach(async () => {
  server = await startScriptedServer()
  scene = stage({ PATH: process.env['PATH'], DISPLAY: ':0', KEPT: 'yes', GREETING: 'old' }, tmpdir())
})

afterEach(() => server.close())

function options() {
  return {
    server: server.url,
    bundle: 'dev/app',
    workspace: null,
    isWorkspaceFlag: false,
    folder: '/',
    acceptsAnyBundle: false,
    keys: [],
    optionalKeys: [],
    agent: null,
    as: null,
    isRemembered: false,
    use: { redaction: 'auto', flags: [] },
    requiredAssurance: null,
    receiptFile: null,
    reason: null,
    hidesQrCode: false,
    allowedNames: [],
    prefix: '',
    whyNotOpen: null,
    projectFormat: null,
    program: ['printf', '%s', 'a\u001b[31m\u202eb', 'x'.repeat(500)],
    isShell: false,
    isOnly: false,
    keepsExisting: false,
    redaction: 'never',
    files: new Map(),
    own: new Map(),
    runWith: null,
  } as const
}

test('a link that only this machine can open gets no QR code', async () => {
  const stderr = { ...scene.stderr, isTerminal: true, columns: () => 120, rows: () => 60 }
  const env = { ...scene.env, TERM: 'xterm', LANG: 'C.UTF-8' }
  await run(options(), { ...scene, env, stderr })
  expect(scene.seen.stderr).toContain('/a/')
  expect(scene.seen.stderr).not.toMatch(/[▀▄█]/)
})

test('the terminal shows the command as the page does, with secrets masked', async () => {
  const stderr = { ...scene.stderr, isTerminal: true, columns: () => 120, rows: () => 60 }
  const program = ['psql', '--password=hunter2']
  await run({ ...options(), program: ['/bin/true', ...program] }, { ...scene, stderr })
  expect(scene.seen.stderr).toContain('psql ')
  expect(scene.seen.stderr).not.toContain('hunter2')
})

test('the program is started once, with its arguments exactly and the values over the environment', async () => {
  expect(await run(options(), scene)).toBe(0)
  expect(scene.seen.started).toEqual([
    {
      argv: options().program,
      env: {
        PATH: process.env['PATH'],
        DISPLAY: ':0',
        KEPT: 'yes',
        GREETING: "it's me",
        EMPTY: '',
        KEYFERRY_LOADED: '1',
      },
      searchPath: process.env['PATH'],
      filters: { stdout: null, stderr: null },
    },
  ])
  expect(scene.seen.stdout).toBe('')
})

test('the secret key is zero afterwards, and nothing is left to clean up', async () => {
  await run(options(), scene)
  const [pair] = scene.seen.keyPairs
  expect(scene.seen.keyPairs).toHaveLength(1)
  expect(pair?.secretKey.every((byte) => byte === 0)).toBe(true)
  expect(scene.seen.cleanUps.size).toBe(0)
})

test('also when nothing could be reached', async () => {
  server.close()
  await expect(run(options(), scene)).rejects.toMatchObject({ exitCode: 5 })
  expect(scene.seen.keyPairs[0]?.secretKey.every((byte) => byte === 0)).toBe(true)
})

test('the browser is opened at the door of this machine, and the link that is printed is the page', async () => {
  await run(options(), scene)
  expect(scene.seen.opened).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/k\/[\w-]{43}$/)])
  expect(scene.seen.stderr).toContain(`\n${server.url}${shortApprovalPath(server.asked[0]?.id ?? '')}\n`)
})

test('the approver gets the whole command, but no secret of it', async () => {
  const program = ['printf', 'a'.repeat(300), '--token=abc']
  await run({ ...options(), program }, scene)
  expect(server.asked[0]?.body).toMatchObject({
    argv: ['printf', 'a'.repeat(300), '--token=***'],
    argv_masked: expect.stringMatching(/^[\w-]{43}$/),
    release: ['loopback', 'code'],
  })
  expect(JSON.stringify(server.asked[0]?.body)).not.toContain('abc')
})

test('its description of itself is short and has no control characters', async () => {
  await run(options(), scene)
  const body = server.asked[0]?.body ?? {}
  expect(Object.keys(body).toSorted()).toEqual([
    'argv',
    'bundle_id',
    'client_pubkey',
    'cwd',
    'format',
    'may_ask_again',
    'meta',
    'poll_challenge',
    'release',
    'short_uri',
    'use',
    'waits_for_others',
  ])
  const meta = Object.entries(body['meta'] ?? {})
  expect(meta.map(([name]) => name).toSorted()).toEqual([
    'client_version',
    'command',
    'cwd',
    'hostname',
    'os',
    'user',
    'via',
  ])
  for (const [, claim] of meta) {
    expect(claim).toMatch(/^[^\p{Cc}\p{Cf}]*$/u)
    expect(claim.length).toBeLessThanOrEqual(200)
  }
})

test('no value appears anywhere but in the program', async () => {
  await run(options(), scene)
  expect(scene.seen.stderr + JSON.stringify(server.asked)).not.toContain("it's me")
})

test('a missing program is reported before the client makes a request', async () => {
  await expect(run({ ...options(), program: ['no-such-program'] }, scene)).rejects.toMatchObject({
    exitCode: 127,
  })
  expect(server.asked).toHaveLength(0)
})
