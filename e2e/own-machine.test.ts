import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { runtimeFolder, stateFolder } from '../cli/src/state/state-folder.ts'
import { hasPrograms } from '../plumbing/test/programs.ts'
import { ROOT, readDocument } from './documents.ts'

/** The blocks of the page as they are written, in a home of their own, without what needs the system's services. */
const PAGE = readDocument('docs/own-machine.md')
const BLOCKS = [...PAGE.matchAll(/^```sh\n(.*?)^```/gms)].map(([, block = '']) => block)
const OF_THE_SYSTEM = /^(systemctl|launchctl) .*$/gm

const home = mkdtempSync(join(tmpdir(), 'keyferry-own-machine-'))
const unit = join(home, '.config/systemd/user/keyferry.service')
const agent = join(home, 'Library/LaunchAgents/keyferry.plist')
const data = join(home, 'data')
const places = {
  HOME: home,
  TMPDIR: join(home, 'tmp'),
  XDG_STATE_HOME: join(home, 'state'),
  XDG_CACHE_HOME: '',
  XDG_RUNTIME_DIR: join(home, 'run'),
}

afterAll(() => rmSync(home, { recursive: true, force: true }))

function run(text: string, env: NodeJS.ProcessEnv = {}): void {
  const input = text.replaceAll(OF_THE_SYSTEM, '')
  const shell = spawnSync('sh', ['-eu'], {
    cwd: ROOT,
    input,
    env: { ...process.env, ...places, ...env },
    encoding: 'utf8',
  })
  expect(`${shell.status}: ${shell.stderr}`).toMatch(/^0:/)
}

const blockWith = (text: string): string => BLOCKS.find((block) => block.includes(text)) ?? ''

const lineOf = (name: string): string =>
  new RegExp(`^${name}=(.*)$`, 'm').exec(readFileSync(unit, 'utf8'))?.[1] ?? ''

test('the unit of systemd is valid, and its command starts the server without a terminal', async () => {
  run(blockWith('keyferry.service <<END'))
  if (hasPrograms('systemd-analyze'))
    expect(spawnSync('systemd-analyze', ['verify', unit], { encoding: 'utf8' }).stderr).toBe('')
  const [program = '', ...words] = lineOf('ExecStart').split(' ')
  const server = spawn(program, words, {
    cwd: lineOf('WorkingDirectory'),
    env: { HOME: home, PATH: '/usr/bin:/bin', DATA_DIR: data, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(server, 'close')
  let printed = ''
  for await (const chunk of server.stdout.setEncoding('utf8')) {
    printed += chunk
    if (printed.includes('Stop with')) break
  }
  expect(printed).toMatch(/Listens\s+http:\/\/127\.0\.0\.1:\d+/)
  server.kill()
  await ended
})

test('the agent of launchd names the same command', () => {
  run(blockWith('keyferry.plist <<END'))
  const written = readFileSync(agent, 'utf8').split('ProgramArguments')[1]?.split('</array>')[0] ?? ''
  const words = [...written.matchAll(/<string>(.*?)<\/string>/g)].map(([, word]) => word)
  expect(words.join(' ')).toBe(lineOf('ExecStart'))
})

test('a backup is restored', () => {
  run(blockWith('cp data/root.key').replace('data/root.key', join(data, 'root.key')), { DATA_DIR: data })
  rmSync(join(data, 'keyferry.db'))
  run(blockWith('restore ~/keyferry-backup.db'), { DATA_DIR: data })
  expect(existsSync(join(data, 'keyferry.db'))).toBe(true)
})

test('the commands that remove the client leave nothing of what it keeps', () => {
  const parts = { env: places, platform: process.platform }
  for (const folder of [
    stateFolder(parts),
    join(home, '.cache/keyferry'),
    join(home, '.local/share/keyferry'),
  ])
    mkdirSync(folder, { recursive: true })
  for (const file of [unit, join(home, '.local/bin/keyferry')]) {
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, '')
  }
  writeFileSync(join(runtimeFolder(parts), 'device-key'), '')
  mkdirSync(join(places.TMPDIR, `keyferry-${process.getuid?.()}`), { recursive: true })
  run(blockWith('systemctl --user disable'))
  run(blockWith('rm -rf ~/.local/bin/keyferry'))
  const left = globSync('**/keyferry*', { cwd: home }).filter(
    (path) => !/^(data|Library)|\.(db|key)$/.test(path),
  )
  expect(left).toEqual([])
})
