import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { delivery, type ScriptedServer, startScriptedServer } from '../../test/scripted-server.ts'
import { type Stage, stage } from '../../test/stage.ts'
import { pull } from './pull.ts'

let server: ScriptedServer
let scene: Stage
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-pull-'))
  scene = stage({}, folder)
})

afterEach(() => {
  server.close()
  rmSync(folder, { recursive: true })
})

function options(output: { path: string; mayReplace: boolean } | null) {
  return {
    server: server.url,
    bundle: null,
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
    whyNotOpen: 'no',
    projectFormat: null,
    formatName: 'sh',
    output,
    own: new Map(),
  } as const
}

test('only the values go to standard output', async () => {
  server = await startScriptedServer()
  await pull(options(null), scene)
  expect(scene.seen.stdout).toBe("export GREETING='it'\\''s me'\nexport EMPTY=''\n")
})

test('a terminal gets no control characters; a program gets every byte', async () => {
  const map = { PLAIN: 'two\r\nlines', COMMANDS: '\u001b]0;owned\u0007', TURNED: '\u202eabc' }
  server = await startScriptedServer({ wait: (asked) => delivery(asked, JSON.stringify(map)) })
  const terminal = { ...scene, stdout: { ...scene.stdout, isTerminal: true } }
  await expect(pull(options(null), terminal)).rejects.toThrow(/^COMMANDS, TURNED cannot be printed/)
  expect(scene.seen.stdout).toBe('')
  await pull(options(null), scene)
  expect(scene.seen.stdout).toContain(map.COMMANDS)
})

test('a file that appears while the person decides is not overwritten', async () => {
  const path = join(folder, 'values')
  server = await startScriptedServer({
    wait: (asked) => {
      writeFileSync(path, 'another person’s')
      return delivery(asked, '{"A":"1"}')
    },
  })
  await expect(pull(options({ path, mayReplace: false }), scene)).rejects.toMatchObject({ exitCode: 1 })
  expect(readFileSync(path, 'utf8')).toBe('another person’s')
  expect(readdirSync(folder)).toEqual(['values'])
})

test('--force replaces the file in one step, readable by its owner only', async () => {
  const path = join(folder, 'values')
  writeFileSync(path, 'old', { mode: 0o644 })
  server = await startScriptedServer()
  await pull(options({ path, mayReplace: true }), scene)
  expect(readFileSync(path, 'utf8')).toContain('export GREETING')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['values'])
})

test('a folder in its place is reported before a request is made', async () => {
  server = await startScriptedServer()
  await expect(pull(options({ path: folder, mayReplace: true }), scene)).rejects.toThrow('folder')
  expect(server.asked).toHaveLength(0)
})
