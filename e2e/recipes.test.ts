import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createClient } from '@keyferry/contract/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { parse } from 'yaml'
import { hasPrograms } from '../plumbing/test/programs.ts'
import { CLIENT_PROGRAM } from './programs.ts'
import { type RunningServer, startServer } from './start-server.ts'

const PAGE = readFileSync(join(import.meta.dirname, '../docs/recipes.md'), 'utf8')
const SAYS = 'console.log(process.argv[1].split("/").pop(), process.env.GREETING)'

let folder: string
let server: RunningServer
let token: string

// The client uses a machine's token here, so no person has to approve.
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-recipes-'))
  server = await startServer()
  const call = createClient(server.url)
  const machine = await call('POST', '/api/v1/machines', { body: { name: 'recipes' } })
  for (const bundle of ['dev/app', 'dev/worker', 'prod/app']) {
    const entries = [{ name: 'GREETING', value: 'hello' }]
    const { bundle_id } = await call('POST', '/api/v1/imports', { body: { bundle, entries } })
    const params = { machine_id: machine.id, bundle_id: bundle_id ?? '' }
    await call('PUT', '/api/v1/machines/{machine_id}/bundles/{bundle_id}', {
      params,
      body: { scope: 'deliver' },
    })
  }
  const made = await call('POST', '/api/v1/machines/{machine_id}/tokens', {
    params: { machine_id: machine.id },
    body: {},
  })
  token = made.token
  writeFiles()
})
afterAll(async () => {
  await server?.dispose()
  rmSync(folder, { recursive: true })
})

function writeFiles(): void {
  for (const [, path = '', text = ''] of PAGE.matchAll(/^```\w+ (\S+)\n([\s\S]*?)^```$/gm)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const name of ['server.js', 'worker.js']) writeFileSync(join(folder, name), SAYS)
  mkdirSync(join(folder, 'bin'))
  writeFileSync(
    join(folder, 'bin/keyferry'),
    `#!/bin/sh\nexec '${process.execPath}' '${CLIENT_PROGRAM}' "$@"\n`,
  )
  chmodSync(join(folder, 'bin/keyferry'), 0o755)
  symlinkSync(process.execPath, join(folder, 'bin/node'))
}

function shell(line: string): string {
  const path = `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}`
  const env = {
    PATH: path,
    HOME: folder,
    KEYFERRY_SERVER: server.url,
    KEYFERRY_TOKEN: token,
    KEYFERRY_LOG: '',
  }
  const { stdout, stderr, status } = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8' })
  expect(status, stderr).toBe(0)
  return stdout
}

function read(path: string): string {
  return readFileSync(join(folder, path), 'utf8')
}

test.for([
  ['package.json', 'npm run --silent dev'],
  ['Makefile', 'make --silent dev'],
  ['.envrc', 'direnv allow . && direnv exec . node server.js'],
] as const)('%s', ([, line], { skip }) => {
  const [program = ''] = line.split(' ')
  skip(!hasPrograms(program), `${program} is not installed`)
  expect(shell(line)).toBe('server.js hello\n')
})

test('Procfile', () => {
  const lines = read('Procfile').trim().split('\n')
  const said = lines.map((line) => shell(line.replace(/^\w+: /, '')))
  expect(said).toEqual(['server.js hello\n', 'worker.js hello\n'])
})

test('.vscode/launch.json', () => {
  const [{ runtimeExecutable, runtimeArgs, program }] = JSON.parse(read('.vscode/launch.json')).configurations
  const path = program.replace('${workspaceFolder}', folder)
  expect(shell([runtimeExecutable, ...runtimeArgs, path].join(' '))).toBe('server.js hello\n')
})

test('ecosystem.config.cjs', async () => {
  const { default: config } = await import(join(folder, 'ecosystem.config.cjs'))
  const [{ script, args, interpreter }] = config.apps
  expect(interpreter).toBe('none')
  expect(shell(`${script} ${args}`)).toBe('server.js hello\n')
})

const hasSystemd = !spawnSync('systemd-analyze', ['--version']).error

test.skipIf(!hasSystemd)('keyferry-demo.service', () => {
  const unit = join(folder, 'keyferry-demo.service')
  writeFileSync(unit, read('keyferry-demo.service').replace('/usr/local/bin', join(folder, 'bin')))
  expect(spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' })).toMatchObject({
    status: 0,
    stderr: '',
  })
})

test('compose.yaml', () => {
  const { type, options } = parse(read('compose.yaml')).services.secrets.provider
  const flags = Object.entries(options).map(([name, value]) => `--${name}=${String(value)}`)
  const said = shell(`${type} compose --project-name demo up ${flags.join(' ')} secrets`)
  expect(JSON.parse(said)).toEqual({ type: 'rawsetenv', message: 'GREETING=hello' })
})
