import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { publint } from 'publint'
import { afterAll, beforeAll, expect, test } from 'vitest'
import manifest from '../package.json' with { type: 'json' }
import { showImports } from './imported-package.ts'
import { startScriptedServer } from './scripted-server.ts'
import { playSession, type Session } from './session.ts'

const CLI = join(import.meta.dirname, '..')

let folder: string
let built: string

// As it is published: built, packed, and installed where nothing else is. In its own folder, because other tests run
// the client in dist.
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyferry-package-'))
  built = join(folder, 'built')
  execFileSync(process.execPath, [join(CLI, 'build.ts'), built])
  const packed = execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], {
    cwd: built,
    encoding: 'utf8',
  })
  execFileSync(
    'npm',
    ['install', '--silent', '--offline', '--no-audit', '--no-fund', join(folder, packed.trim())],
    {
      cwd: folder,
      stdio: 'pipe',
    },
  )
})

afterAll(async () => {
  await rm(folder, { recursive: true, force: true })
})

test('it contains all that it needs, in under a megabyte', async () => {
  const installed = join(folder, 'node_modules')
  expect((await readdir(installed)).filter((name) => !name.startsWith('.'))).toEqual(['keyferry'])
  const files = await readdir(installed, { recursive: true, withFileTypes: true })
  const sizes = files.filter((file) => file.isFile()).map((file) => stat(join(file.parentPath, file.name)))
  const bytes = (await Promise.all(sizes)).reduce((sum, { size }) => sum + size, 0)
  expect(bytes).toBeLessThan(1024 * 1024)
})

test('its manifest matches the package', async () => {
  const { messages } = await publint({ pkgDir: built })
  expect(messages).toEqual([])
})

test('it says its version and its help', () => {
  const bin = join(folder, 'node_modules', '.bin', 'keyferry')
  expect(execFileSync(bin, ['--version'], { encoding: 'utf8' })).toBe(`${manifest.version}\n`)
  expect(execFileSync(bin, ['--help'], { encoding: 'utf8' })).toContain('keyferry run dev/app -- npm run dev')
})

test('it serves agents', () => {
  const call = { jsonrpc: '2.0', id: 1, method: 'initialize' }
  const client = { capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const { stdout } = spawnSync(join(folder, 'node_modules', '.bin', 'keyferry'), ['mcp'], {
    input: `${JSON.stringify({ ...call, params: { protocolVersion: '2025-11-25', ...client } })}\n`,
    encoding: 'utf8',
  })
  expect(JSON.parse(stdout)).toMatchObject({ result: { serverInfo: { name: 'keyferry' } } })
})

// Each of these takes longer to load than the help page takes to print.
test('its help loads neither cryptography nor network code', () => {
  const report = join(folder, 'report.cjs')
  const loaded =
    'process.moduleLoadList.filter((name) => /^NativeModule (crypto|net|tty|zlib|stream)$/.test(name))'
  writeFileSync(report, `process.on('exit', () => require('fs').writeSync(2, JSON.stringify(${loaded})))`)
  const bin = join(folder, 'node_modules/keyferry/bin/keyferry.js')
  const { stderr } = spawnSync(process.execPath, ['--require', report, bin, '--help'], { encoding: 'utf8' })
  expect(JSON.parse(stderr)).toEqual([])
})

test('it runs a program with delivered values', async () => {
  const server = await startScriptedServer()
  const command = `'${join(folder, 'node_modules/.bin/keyferry')}' run --no-open -q -- printenv GREETING`
  const played = await playSession(sessionOf(command), { url: server.url, folder: join(folder, 'stage') })
  server.close()
  expect(played).toMatchObject({ exit: 0, stdout: "it's me\n" })
})

// Node.js 20 has no execve, so the client stays as the parent process.
test('on Node.js 20 it runs a program as a child, and returns its exit code', async ({ skip }) => {
  const node = findNode20()
  if (node === null) {
    console.warn('SKIPPED: no Node.js 20 in PATH')
    skip()
    return
  }
  const server = await startScriptedServer()
  const keyferry = `'${node}' '${join(folder, 'node_modules/keyferry/bin/keyferry.js')}'`
  const run = `${keyferry} run --no-open -q dev/app -- sh -c 'echo "$GREETING"; exit 7'`
  const stage = { url: server.url, folder: join(folder, 'node20') }
  expect(await playSession(sessionOf(run), stage)).toMatchObject({ exit: 7, stdout: "it's me\n" })
  const ended = `${keyferry} run --no-open -q dev/app -- sh -c 'kill -TERM $$'`
  expect(await playSession(sessionOf(ended), stage)).toMatchObject({ exit: 143 })
  const pulled = await playSession(sessionOf(`${keyferry} pull --no-open -q dev/app -f json`), stage)
  expect(JSON.parse(pulled.stdout)).toEqual({ GREETING: "it's me", EMPTY: '' })
  server.close()
  const doctor = await playSession(sessionOf(`${keyferry} doctor`), stage)
  expect(doctor.stdout).toContain('keyferry starts the program as a child process')
})

function findNode20(): string | null {
  const candidates = (process.env['PATH'] ?? '').split(':').map((path) => join(path, 'node'))
  return candidates.find((node) => existsSync(node) && versionOf(node).startsWith('v20.')) ?? null
}

function versionOf(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' })
}

function sessionOf(command: string): Session {
  return { about: '', server: '', command, exit: 0, stdout: '', stderr: '' }
}

test('its manual page names every command and exit code', async () => {
  const page = await readFile(join(folder, 'node_modules/keyferry/man/keyferry.1'), 'utf8')
  for (const name of ['run', 'pull', 'import', 'init', 'doctor', 'completion']) {
    expect(page).toContain(`.SS keyferry ${name} `)
  }
  for (const code of ['0', '1', '2', '3', '4', '5', '6', '126, 127', '130'])
    expect(page).toContain(`.B ${code}\n`)
})

showImports(() => folder, findNode20())
