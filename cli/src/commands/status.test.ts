import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../../test/scripted-server.ts'
import { stage } from '../../test/stage.ts'
import { parseWords } from '../command-line/parse-words.ts'
import { keepRequest } from '../state/kept-requests.ts'
import { statusCommand } from './status.ts'

let server: ScriptedServer
let home: string

beforeEach(async () => {
  server = await startScriptedServer()
  home = mkdtempSync(join(tmpdir(), 'keyferry-status-'))
})

afterEach(() => {
  server.close()
  rmSync(home, { recursive: true })
})

test('a request that waits is listed with its command as one would type it, on one line', async () => {
  const scene = stage({ XDG_STATE_HOME: home, KEYFERRY_SERVER: server.url }, home)
  const pending = {
    server: server.url,
    id: '0123456789abcdef0123456789abcdef',
    keyPair: generateKeyPair(),
    verifier: 'v',
    approvalUrl: `${server.url}/approve/0123456789abcdef0123456789abcdef`,
    shownUrl: `${server.url}/approve/0123456789abcdef0123456789abcdef`,
    userCode: 'BCDF-GHJK',
    isCodeTyped: false,
    intervalMs: 3_000,
    lifetimeMs: 300_000,
    remembered: null,
    whyNotRemembered: null,
    joins: false,
    epoch: null,
    deadlineMs: scene.clock.monotonicMs() + 299_000,
  }
  keepRequest(pending, ['run', '--resumable', '--', 'sh', '-c', "echo 'a b' >&2\nexit"], scene)
  await statusCommand.run(parseWords(statusCommand, []), scene)
  expect(scene.seen.stdout).toContain(
    "left  keyferry run --resumable -- sh -c 'echo '\\''a b'\\'' >&2\ufffdexit'\n",
  )
})
