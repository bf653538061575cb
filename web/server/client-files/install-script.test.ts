import { existsSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hasPrograms } from '../../../plumbing/test/programs.ts'
import { clientFolder, fakePackage, fakeProgram, VERSION, writeFiles } from '../../test/client-folder.ts'
import {
  type Install,
  isInstalled,
  type Machine,
  machineHome,
  run,
  install as runScript,
  SHELLS,
} from '../../test/install-machine.ts'
import { startTestWeb } from '../../test/start-test-web.ts'
import type { Web } from '../main.ts'
import { installScript } from './install-script.ts'

const program = (platform: string) => `keyferry-${VERSION}-${platform}.gz`
const PACKAGE = `keyferry-${VERSION}.tgz`

let web: Web
let folder: string
let script: string

beforeAll(async () => {
  folder = clientFolder({
    [program('linux-x64')]: fakeProgram('linux-x64'),
    [program('linux-x64-musl')]: fakeProgram('linux-x64-musl'),
    [program('darwin-arm64')]: fakeProgram('darwin-arm64'),
    [program('linux-arm64')]: fakeProgram('of another version', '0.0.1'),
    [PACKAGE]: fakePackage(),
  })
  web = await startTestWeb('http://127.0.0.1:1', { clientDir: folder })
  script = await (await fetch(`${web.address}/install.sh`)).text()
})

afterAll(async () => {
  await web.close()
})

const install = (home: string, how: Partial<Install> = {}) => runScript(home, { text: script, ...how })
const binOf = (home: string) => readdirSync(join(home, '.local/bin'))

describe.each(SHELLS.filter(isInstalled))('in %s', (shell) => {
  test('the program of this system is installed, and its place is named', async () => {
    const home = machineHome()
    const { exit, stdout, stderr, says } = await install(home, { shell })
    expect([exit, stderr, says]).toEqual([0, '', 'linux-x64'])
    expect(stdout).toBe(
      [
        'These files are not signed. Only their checksums are checked.',
        `Fetching ${program('linux-x64')} from ${web.address}`,
        `Installed keyferry ${VERSION}: ${home}/.local/bin/keyferry`,
        `${home}/.local/bin is not in your PATH. Add this line to the start-up file of your shell, and open a new terminal:`,
        `  export PATH="${home}/.local/bin:$PATH"`,
        `Next, in your project: keyferry init --server ${web.address}`,
        '',
      ].join('\n'),
    )
    expect(binOf(home)).toEqual(['keyferry'])
  })

  test('a file with the wrong checksum replaces nothing', async () => {
    const home = machineHome()
    mkdirSync(join(home, '.local/bin'), { recursive: true })
    writeFileSync(join(home, '.local/bin/keyferry'), '#!/bin/sh\necho kept\n', { mode: 0o755 })
    const text = script.replace(/(linux-x64 \S+ )[0-9a-f]{8}/, '$100000000')
    const { exit, stderr, says } = await install(home, { shell, text })
    expect([exit, says]).toEqual([1, 'kept'])
    expect(stderr).toContain('has the wrong checksum; nothing was installed')
    expect(binOf(home)).toEqual(['keyferry'])
  })

  test('without a program for the system, the Node.js package is installed', async () => {
    const home = machineHome({ cpu: 'riscv64', with: ['node'] })
    expect(await install(home, { shell })).toMatchObject({ exit: 0, stderr: '', says: 'package' })
    expect(readlinkSync(join(home, '.local/bin/keyferry'))).toContain('/.local/share/keyferry/client/')
    expect(binOf(home)).toEqual(['keyferry'])
  })

  test('half a script does nothing', async () => {
    const home = machineHome()
    const lengths = [0.1, 0.5, 0.9].map((part) => Math.floor(script.length * part))
    for (const length of [...lengths, ...[40, 20, 12, 6, 3, 2].map((less) => script.length - less)]) {
      await install(home, { shell, text: script.slice(0, length) })
      expect(existsSync(join(home, '.local')), `cut at ${length}`).toBe(false)
    }
  })
})

test.each<[string, Machine, string]>([
  ['Alpine Linux', { libc: 'musl libc (x86_64)' }, 'linux-x64-musl'],
  ['a Mac', { system: 'Darwin', cpu: 'arm64' }, 'darwin-arm64'],
  ['a machine without curl', { without: ['curl'] }, 'linux-x64'],
  ['a machine where the program does not start', { cpu: 'aarch64', with: ['node'] }, 'package'],
])('on %s', async (_, machine, says) => {
  expect(await install(machineHome(machine))).toMatchObject({ exit: 0, says })
})

test.runIf(hasPrograms('openssl'))('on a machine with openssl alone', async () => {
  const home = machineHome({ without: ['sha256sum'], with: ['openssl'] })
  expect(await install(home)).toMatchObject({ exit: 0, says: 'linux-x64' })
})

test.each<[string, Machine, string]>([
  [
    'no Node.js for the package',
    { cpu: 'riscv64' },
    'Node.js 20.16 or newer was not found\n  Install Node.js',
  ],
  ['neither curl nor wget', { without: ['curl', 'wget'] }, 'neither curl nor wget was found'],
  ['nothing that computes a checksum', { without: ['sha256sum'] }, 'no program to compute a SHA-256'],
  ['Git Bash on Windows', { system: 'MINGW64_NT-10.0' }, '/install.ps1 | iex'],
  ['a program that does not start, and no Node.js', { cpu: 'aarch64' }, 'does not start here, and Node.js'],
])('%s: it says what to do, and leaves nothing', async (_, machine, complaint) => {
  const home = machineHome(machine)
  const { exit, stderr } = await install(home)
  expect([exit, existsSync(join(home, '.local/bin/keyferry'))]).toEqual([1, false])
  expect(stderr).toContain(complaint)
  if (existsSync(join(home, '.local/bin'))) expect(binOf(home)).toEqual([])
})

test('a server without files says that it has none, and how its operator adds them', async () => {
  const text = await installScript('install.sh', {
    origin: web.address,
    version: VERSION,
    files: [],
    signer: '',
  })
  const { exit, stderr } = await install(machineHome({ with: ['node'] }), { text })
  expect(exit).toBe(1)
  expect(stderr).toContain(
    `this server has no client ${VERSION} to hand out\n  Its operator can add it with: npm run release`,
  )
})

test.each([
  'http://keyferry.example',
  'http://127.0.0.1.evil.example',
  'http://localhost.evil.example:80',
  'ftp://x',
])('nothing is fetched from %s', async (origin) => {
  const text = await installScript('install.sh', { origin, version: VERSION, files: [], signer: '' })
  const { exit, stderr } = await install(machineHome(), { text })
  expect([exit, stderr]).toEqual([1, expect.stringContaining(`${origin} is not an https address`)])
})

test('what the server is called is never executed', async () => {
  const home = machineHome()
  const origin = "https://x'$(touch owned)`touch owned`\"; touch owned; '"
  const text = await installScript('install.sh', {
    origin,
    version: "1'; touch owned; '",
    files: [],
    signer: '',
  })
  const { exit, stderr } = await install(home, { text })
  expect([exit, existsSync(join(home, 'owned'))]).toEqual([1, false])
  expect(stderr).toContain('this server has no client')
})

test('a second installation replaces the first in one step, program by package and back', async () => {
  const home = machineHome({ with: ['node'] })
  const path = `${join(home, '.local/bin')}:`
  expect((await install(home)).says).toBe('linux-x64')
  expect(await install(home, { words: ['--package'], path })).toMatchObject({ says: 'package', stderr: '' })
  expect(await install(home, { path })).toMatchObject({
    says: 'linux-x64',
    stdout: expect.not.stringContaining('PATH'),
  })
  expect(binOf(home)).toEqual(['keyferry'])
})

test('another keyferry that is first in PATH is named', async () => {
  const home = machineHome()
  mkdirSync(join(home, 'first'))
  writeFileSync(join(home, 'first/keyferry'), '#!/bin/sh\n', { mode: 0o755 })
  const { stdout } = await install(home, { path: `${join(home, 'first')}:${join(home, '.local/bin')}:` })
  expect(stdout).toContain(`Another keyferry comes first in your PATH: ${home}/first/keyferry`)
})

test('--to names the folder, and --from takes the files from another', async () => {
  const home = machineHome()
  const other = clientFolder({ [program('linux-x64')]: fakeProgram('unreleased') })
  const names = await installScript('install.sh', {
    origin: 'http://no.example',
    version: VERSION,
    signer: '',
    files: [
      { platform: 'linux-x64', name: program('linux-x64'), sha256: shaOf(other, program('linux-x64')) },
    ],
  })
  const { exit } = await install(home, { text: names, words: ['--from', other, '--to', 'my tools'] })
  expect([exit, run(join(home, 'my tools/keyferry'))]).toEqual([0, 'unreleased'])
  writeFiles(other, { [program('linux-x64')]: fakeProgram('changed') })
  expect((await install(home, { text: names, words: ['--from', other] })).exit).toBe(1)
})

test('from a clone, the next step is the first import', async () => {
  const text = await installScript('install.sh', {
    origin: 'http://127.0.0.1:5393',
    version: VERSION,
    signer: '',
    files: [
      { platform: 'linux-x64', name: program('linux-x64'), sha256: shaOf(folder, program('linux-x64')) },
    ],
  })
  const { exit, stdout } = await install(machineHome(), { text, words: ['--from', folder] })
  expect([exit, stdout]).toEqual([
    0,
    expect.stringMatching(/\nNext, in your project: keyferry import \.env --bundle dev\/app\n$/),
  ])
})

test.each([[['--from']], [['--to', '']], [['--wrong']]])('%j is refused', async (words) => {
  expect(await install(machineHome(), { words })).toMatchObject({ exit: 1, says: null })
})

test('the help names the options', async () => {
  const { exit, stdout } = await install(machineHome(), { words: ['--help'] })
  expect([exit, stdout]).toEqual([0, expect.stringContaining('--to DIR')])
})

function shaOf(place: string, name: string): string {
  const listed = readFileSync(join(place, 'SHA256SUMS'), 'utf8').split('\n')
  return listed.find((line) => line.endsWith(`  ${name}`))?.split(' ')[0] ?? ''
}
