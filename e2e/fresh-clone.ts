import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { freePort } from '@keyferry/plumbing/free-port'
import { runApproved } from './approved-line.ts'
import { commandsOf, ROOT } from './documents.ts'

// The packages of a clone do not belong in memory, where the other files of tests are.
const ON_DISK = existsSync('/var/tmp') ? '/var/tmp' : tmpdir()

const OF_THIS_RUN = /^(npm_|VITEST|TEST$|NODE_ENV$|NODE_PATH$)/i

const LISTENS = /Listens\s+(http:\/\/127\.0\.0\.1:\d+)/

/** What a terminal outside of this run has: without the programs of this clone and the variables of npm. */
export function ownTerminal(): NodeJS.ProcessEnv {
  const places = (process.env['PATH'] ?? '').split(delimiter)
  const PATH = places.filter((place) => !place.includes('node_modules')).join(delimiter)
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !OF_THIS_RUN.test(name))),
    PATH,
  }
}

/** Start a command that starts the server, in a process group. @returns its address */
export async function startedBy(
  command: string,
  cwd: string,
  env: NodeJS.ProcessEnv,
): Promise<{ url: string; stop: () => Promise<void> }> {
  const stdio = ['ignore', 'pipe', 'pipe'] as const
  const PORT = String(await freePort())
  const shell = spawn('sh', ['-c', command], {
    cwd,
    env: { ...env, PORT },
    detached: true,
    stdio: [...stdio],
  })
  const closed = once(shell, 'close')
  let output = ''
  for (const stream of [shell.stdout, shell.stderr])
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk))
  const url = await new Promise<string>((resolve, reject) => {
    shell.stdout.on('data', () => {
      const found = LISTENS.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    })
    shell.once('close', () => reject(new Error(`${command} ended: ${output}`)))
  })
  return { url, stop: async () => await endGroup(shell, closed) }
}

async function endGroup({ pid }: ChildProcess, closed: Promise<unknown>): Promise<void> {
  if (pid !== undefined) process.kill(-pid, 'SIGTERM')
  await closed
}

type Run = {
  /** What the program printed that got the value. */
  delivered: string
  /** The same, from a server with only what `docs/operations.md` keeps. */
  afterPruning: string
}

/** Run the commands of the README in a new clone of the files that are here, with a version of npm. */
export async function runReadme(npmVersion: string, nodeFolder = ''): Promise<Run> {
  const folder = mkdtempSync(join(ON_DISK, 'keyferry-clone-'))
  try {
    const env = terminalOf(folder, nodeFolder)
    env['PATH'] = `${installedNpm(npmVersion, folder, env)}${delimiter}${env['PATH']}`
    const clone = newClone(join(folder, 'clone'))
    const [first = '', second = ''] = commandsOf('README.md').filter((line) => /^(npm|curl) /.test(line))
    const deliveredFrom = async (start: string, installClient: string) => {
      const { url, stop } = await startedBy(start, clone, env)
      try {
        const line = installClient.replace('http://127.0.0.1:5393', url)
        execFileSync('sh', ['-c', line], { cwd: clone, env, stdio: 'pipe' })
        return await deliveredValue(url, folder, env)
      } finally {
        await stop()
      }
    }
    const delivered = await deliveredFrom(first, second)
    const [prune = ''] = commandsOf('docs/operations.md').filter((line) => line.startsWith('npm prune'))
    const start = `exec '${process.execPath}' server/bin/keyferry-server.js`
    return { delivered, afterPruning: await deliveredFrom(`${prune} && ${start}`, 'true') }
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

function terminalOf(folder: string, nodeFolder: string): NodeJS.ProcessEnv {
  const { PATH, HOME, ...env } = ownTerminal()
  // What this user has downloaded once stays with this user.
  const cache = process.env['npm_config_cache'] ?? join(HOME ?? folder, '.npm')
  const first = nodeFolder === '' ? '' : `${nodeFolder}${delimiter}`
  return { ...env, HOME: folder, npm_config_cache: cache, PATH: `${first}${PATH}` }
}

/** @returns a folder with this version as the program `npm` */
function installedNpm(version: string, folder: string, env: NodeJS.ProcessEnv): string {
  const prefix = join(folder, 'npm')
  execFileSync('npm', ['install', '--silent', '--prefix', prefix, `npm@${version}`], { cwd: folder, env })
  const text = `#!/bin/sh\nexec node '${join(prefix, 'node_modules/npm/bin/npm-cli.js')}' "$@"\n`
  writeFileSync(join(prefix, 'npm'), text, { mode: 0o755 })
  return prefix
}

function newClone(clone: string): string {
  execFileSync('git', ['clone', '--quiet', ROOT, clone])
  for (const file of listed('--deleted')) rmSync(join(clone, file))
  for (const file of listed('--modified', '--others', '--exclude-standard')) {
    if (!existsSync(join(ROOT, file))) continue
    mkdirSync(dirname(join(clone, file)), { recursive: true })
    cpSync(join(ROOT, file), join(clone, file))
  }
  return clone
}

function listed(...flags: string[]): string[] {
  const text = execFileSync('git', ['ls-files', '-z', ...flags], { cwd: ROOT, encoding: 'utf8' })
  return text.split('\0').filter((file) => file !== '')
}

async function deliveredValue(server: string, folder: string, env: NodeJS.ProcessEnv): Promise<string> {
  writeFileSync(join(folder, '.env'), 'GREETING=from a new clone\n')
  const PATH = `${join(folder, '.local/bin')}${delimiter}${env['PATH']}`
  for (const line of ['keyferry import .env --bundle dev/app', 'keyferry run dev/app -- printenv GREETING']) {
    const { status, output } = await runApproved(line, { folder, server, PATH })
    if (status !== 0) throw new Error(`${line} ended with ${status}: ${output}`)
    if (line.includes(' run ')) return output
  }
  return ''
}
