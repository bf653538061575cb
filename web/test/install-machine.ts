import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { hasPrograms } from '../../plumbing/test/programs.ts'

const TOOLS = 'sh cat cp chmod curl cut gunzip gzip ln mkdir mv printf rm sha256sum tar wget'.split(' ')
export const SHELLS = ['sh', 'dash', 'bash', 'zsh', 'mksh', 'busybox'] as const

/** A machine: what `uname` and `ldd` say, and which programs it has. */
export type Machine = {
  system?: string
  cpu?: string
  libc?: string
  without?: readonly string[]
  with?: readonly string[]
}

/** The home folder of a machine. */
export function machineHome({
  system = 'Linux',
  cpu = 'x86_64',
  libc = 'GNU libc',
  ...tools
}: Machine = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'keyferry-install-'))
  const bin = join(home, 'tools')
  mkdirSync(bin)
  const names = [...TOOLS, ...(tools.with ?? [])].filter((name) => !(tools.without ?? []).includes(name))
  for (const name of names) symlinkSync(pathOf(name), join(bin, name))
  writeFileSync(join(bin, 'uname'), `#!/bin/sh\ncase $1 in -s) echo ${system};; -m) echo ${cpu};; esac\n`, {
    mode: 0o755,
  })
  writeFileSync(join(bin, 'ldd'), `#!/bin/sh\necho '${libc}'\n`, { mode: 0o755 })
  return home
}

function pathOf(name: string): string {
  if (name === 'node') return process.execPath
  const places = (process.env['PATH'] ?? '').split(':').map((place) => join(place, name))
  const found = places.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`${name} is not installed`)
  return found
}

export function isInstalled(shell: string): boolean {
  return hasPrograms(shell)
}

export type Install = {
  shell?: (typeof SHELLS)[number]
  words?: readonly string[]
  text: string
  path?: string
}

/** Pipe the script into a shell of a machine. */
export async function install(home: string, { shell = 'sh', words = [], text, path = '' }: Install) {
  const args = [...(shell === 'busybox' ? ['sh'] : []), '-s', '--', ...words]
  const env = { HOME: home, PATH: `${path}${join(home, 'tools')}`, LANG: 'C.UTF-8' }
  const child = spawn(pathOf(shell), args, { cwd: home, env, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.on('error', () => undefined).end(text)
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve))
  const [exit, stdout, stderr] = await Promise.all([ended, readText(child.stdout), readText(child.stderr)])
  const installed = join(home, '.local/bin/keyferry')
  return { exit, stdout, stderr, says: existsSync(installed) ? run(installed) : null }
}

export function run(path: string): string {
  return spawnSync(path, [], { encoding: 'utf8' }).stdout.trim()
}
