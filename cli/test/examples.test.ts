import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requireShell } from '../../e2e/real-shells.ts'
import { startServer } from '../../e2e/start-server.ts'
import { commands } from '../src/commands/commands.ts'
import { pinWorkspace } from '../src/project/workspace-pins.ts'
import { socketPath, takeCodes } from '../src/release/release-socket.ts'
import { writeExportedLog } from './exported-log.ts'
import { type Asked, type ScriptedServer, signedDelivery, startScriptedServer } from './scripted-server.ts'
import { playSession } from './session.ts'

const VALUES = { DATABASE_URL: 'postgres://db', PORT: '3000', HOST: 'localhost' }
// These use a library; each gets a new one.
const NEED_LIBRARY = new Set(['import', 'set', 'doctor', 'diff', 'ls', 'whoami', 'unset', 'restore'])
// What an example needs: bundles to compare or to list, or a value, because these tests have no terminal to type it.
const BEFORE: Readonly<Record<string, string>> = {
  import: 'for app in web api; do mkdir -p apps/$app; cp .env apps/$app/; done; ',
  set: 'echo typed | ',
  restore: 'for value in 1 2; do echo API_TOKEN=$value | keyferry import - -b dev/app -q --yes; done; ',
  unset: 'echo OLD_TOKEN=1 | keyferry import - -b dev/app -q; ',
  ls: 'keyferry import .env -b dev/app -q; ',
  diff: 'cp .env .env.example; keyferry import .env -b dev/app -q; for bundle in staging/app prod/app; do keyferry import .env -b $bundle -q --share PORT,HOST; done; ',
}

// A client without the publisher's key says so; release/signed-release.test.ts checks a signed list.
const EXIT_WITHOUT_PUBLISHER: Readonly<Record<string, number>> = { self: 1 }

let approved: ScriptedServer
let folder: string

// What the examples run or read, besides keyferry itself.
const STAND_INS = {
  nano: 'true',
  npm: 'echo "npm $*"',
  psql: 'echo "psql $DATABASE_URL"',
  pass: 'echo "A=1"',
}
const DEPLOY = '#!/bin/sh\necho deployed\n'

beforeAll(async () => {
  approved = await startScriptedServer({
    wait: (asked) => signedDelivery(asked, JSON.stringify(valuesFor(asked))),
  })
  folder = await mkdtemp(join(tmpdir(), 'keyferry-examples-'))
})

afterAll(async () => {
  approved.close()
  await rm(folder, { recursive: true })
})

describe.each(
  commands.flatMap(({ name, examples }) => Object.keys(examples).map((command) => ({ name, command }))),
)('$command', ({ name, command }) => {
  test('works as shown in the help', async ({ skip }) => {
    if (command.includes('| source')) requireShell('fish', skip)
    const stage = await mkdtemp(join(folder, 'example-'))
    await setStage(stage, name)
    const library = NEED_LIBRARY.has(name) ? await startServer() : null
    if (name === 'edit') confirmWorkspace(stage)
    const shown = command.includes('| source') ? `fish --no-config -c '${command}'` : command
    const line = `${BEFORE[name] ?? ''}${shown}`
    const session = { about: '', server: '', command: line, exit: 0, stdout: '', stderr: '' }
    const stopWaiting = name === 'release' ? await waitForCode(stage) : null
    const played = await playSession(session, { url: library?.url ?? approved.url, folder: stage })
    stopWaiting?.()
    await library?.dispose()
    expect(played.stderr).not.toContain('keyferry: unexpected')
    expect(played).toMatchObject({ exit: EXIT_WITHOUT_PUBLISHER[name] ?? 0 })
  })
})

// A person who approves what was asked for, and everything where nothing was.
function valuesFor({ body }: Asked): Record<string, string> {
  const keys: unknown = body['template_keys']
  if (!Array.isArray(keys)) return VALUES
  return Object.fromEntries(Object.entries(VALUES).filter(([name]) => keys.includes(name)))
}

// These tests have no terminal to confirm it.
function confirmWorkspace(stage: string): void {
  const place = { folder: join(stage, 'app'), server: approved.url }
  const parts = { env: { HOME: stage }, platform: process.platform }
  pinWorkspace(place, { id: '5a1c8b52-4f0e-4c3a-8a53-3d1f0e9b7c21', name: 'Acme' }, parts)
}

// A client that waits for the code of the example.
async function waitForCode(stage: string): Promise<() => void> {
  const env = { XDG_RUNTIME_DIR: join(stage, 'bin', 'r') }
  const path = socketPath('7f9c2ba4e88f827d616045507605853e', { env, platform: process.platform })
  return await takeCodes(path, async (code) => (code === '482 913' ? null : 'wrong'))
}

async function setStage(stage: string, command: string): Promise<void> {
  const [bin, app] = [join(stage, 'bin'), join(stage, 'app')]
  await Promise.all([mkdir(bin), mkdir(app)])
  const programs = Object.entries(STAND_INS).map(([name, body]) =>
    writeFile(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 }),
  )
  const files = [
    writeFile(join(app, 'deploy.sh'), DEPLOY, { mode: 0o755 }),
    ...(['import', 'diff', 'ls'].includes(command) ? ['.env', '.env.production'] : []).map((name) =>
      writeFile(join(app, name), 'PORT=1\nHOST=2\n'),
    ),
  ]
  await Promise.all([...programs, ...files, ...(command === 'audit' ? [writeExportedLog(app)] : [])])
}
