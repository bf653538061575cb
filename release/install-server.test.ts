import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { installScript } from '../web/server/client-files/install-script.ts'
import { clientFolder, fakePackage, fakeProgram } from '../web/test/client-folder.ts'
import {
  isInstalled,
  type Machine,
  machineHome,
  run,
  install as runScript,
  SHELLS,
} from '../web/test/install-machine.ts'

const NEW = '1.2.3'
const TOOLS = ['id']

/** A release whose server prints its version, as the real one does. */
function released(version: string): { folder: string; script: Promise<string> } {
  const name = `keyferry-server-${version}-linux-x64`
  const work = mkdtempSync(join(tmpdir(), 'keyferry-fake-server-'))
  mkdirSync(join(work, name, 'deploy/user'), { recursive: true })
  writeFileSync(join(work, name, 'keyferry-server'), `#!/bin/sh\necho ${version}\n`, { mode: 0o755 })
  const archive = execFileSync('tar', ['-czf', '-', '-C', work, name])
  const files = {
    [`${name}.tar.gz`]: archive,
    [`keyferry-${version}.tgz`]: fakePackage(),
    [`keyferry-${version}-linux-x64.gz`]: fakeProgram('linux-x64', version),
  }
  const platforms = ['server-linux-x64', 'package', 'linux-x64']
  const listed = Object.entries(files).map(([file, bytes], index) => ({
    platform: platforms[index] ?? '',
    name: file,
    sha256: hash('sha256', bytes),
  }))
  const parts = { origin: '', version, files: listed, signer: '' }
  return {
    folder: clientFolder(files),
    script: installScript('install-server.sh', parts, import.meta.dirname),
  }
}

let text: string
let from: string
beforeAll(async () => {
  const { folder, script } = released(NEW)
  ;[text, from] = [await script, folder]
})

const machine = (how: Machine = {}) => machineHome({ ...how, with: [...TOOLS, ...(how.with ?? [])] })
const install = (home: string, how: { text?: string; words?: readonly string[] } = {}) =>
  runScript(home, { text, words: ['--from', from], ...how })
const serverOf = (home: string) => join(home, '.local/bin/keyferry-server')

describe.each(SHELLS.filter(isInstalled))('in %s', (shell) => {
  test('the server and the client that it hands out are installed', async () => {
    const home = machine()
    const { exit, stderr, stdout } = await runScript(home, { text, shell, words: ['--from', from] })
    expect([exit, stderr, run(serverOf(home))]).toEqual([0, '', NEW])
    expect(stdout).toContain(`Next: ${serverOf(home)}\n`)
    const place = join(home, '.local/share/keyferry/server')
    expect(readdirSync(place).toSorted()).toEqual([NEW, 'keyferry-server'])
    expect(readdirSync(join(place, NEW, 'release/dist')).toSorted()).toEqual([
      'SHA256SUMS',
      `keyferry-${NEW}-linux-x64.gz`,
      `keyferry-${NEW}.tgz`,
    ])
  })
})

test('the folder decides nothing of what the server hands out', async () => {
  const home = machine()
  const hostile = mkdtempSync(join(tmpdir(), 'keyferry-hostile-'))
  cpSync(from, hostile, { recursive: true })
  rmSync(join(hostile, 'SHA256SUMS'))
  symlinkSync('/etc/hostname', join(hostile, 'SHA256SUMS'))
  expect(await install(home, { words: ['--from', hostile] })).toMatchObject({ exit: 0 })
  const listed = readFileSync(
    join(home, '.local/share/keyferry/server', NEW, 'release/dist/SHA256SUMS'),
    'utf8',
  )
  const own = readFileSync(join(from, 'SHA256SUMS'), 'utf8').split('\n')
  expect(listed.split('\n')).toEqual(own.filter((line) => !line.includes('keyferry-server')))
})

test('installing again replaces the same version', async () => {
  const home = machine()
  await install(home)
  expect(await install(home)).toMatchObject({ exit: 0, stderr: '' })
  expect(run(serverOf(home))).toBe(NEW)
})

test.each([
  [
    'a wrong checksum',
    (script: string) => script.replace(/(x64.tar.gz )[0-9a-f]{8}/, '$100000000'),
    'checksum',
  ],
  [
    'another version inside',
    (script: string) => script.replace(/^version=.*$/m, "version='1.2.4'"),
    'does not start',
  ],
])('%s replaces nothing', async (_, changed, says) => {
  const home = machine()
  const { exit, stderr } = await install(home, { text: changed(text) })
  expect([exit, stderr]).toEqual([1, expect.stringContaining(says)])
  expect(existsSync(serverOf(home))).toBe(false)
  expect(readdirSync(join(home, '.local/share/keyferry/server'))).toEqual([])
})

test('a newer server is kept', async () => {
  const home = machine()
  const newer = released('1.10.0')
  await install(home, { text: await newer.script, words: ['--from', newer.folder] })
  const { exit, stderr } = await install(home)
  expect([exit, stderr]).toEqual([1, expect.stringContaining('keyferry-server 1.10.0 is installed')])
  expect(run(serverOf(home))).toBe('1.10.0')
})

test.each([
  ['a system without a program', { cpu: 'riscv64' }, ['--from', '.'], 'no keyferry-server for linux-riscv64'],
  ['no place', {}, [], 'does not know where its release is'],
  ['plain http', {}, ['--from', 'http://keyferry.example'], 'is not an https address'],
  ['an unknown option', {}, ['--form', 'x'], 'unknown option --form'],
])('%s is refused with what to do', async (_, how, words, says) => {
  const { exit, stderr } = await install(machine(how), { words })
  expect([exit, stderr]).toEqual([1, expect.stringContaining(says)])
})
