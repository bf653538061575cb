import { spawn } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { VERSION } from '../src/ground/version.ts'

// KEYFERRY_UNDER_TEST names another build of the client: the published package's, or a single executable.
const KEYFERRY = process.env['KEYFERRY_UNDER_TEST'] ?? join(import.meta.dirname, '../bin/keyferry.js')
const START = KEYFERRY.endsWith('.js') ? `'${process.execPath}' '${KEYFERRY}'` : `'${KEYFERRY}'`

/** One session as its file tells it: a line of shell against a server of that name, and all that comes of it. */
export type Session = {
  readonly about: string
  readonly server: string
  readonly command: string
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

/** Read a session file: `# about`, `server: name`, `$ command`, `exit: code`, then `stdout:` and `stderr:` with lines. */
export function parseSession(text: string): Session {
  const match =
    /^# (.*)\nserver: (.*)\n\$ ([\s\S]*?)\nexit: (\d+)\nstdout:\n([\s\S]*?)stderr:\n([\s\S]*)$/.exec(text)
  if (match === null) throw new Error('not a session file')
  const [, about = '', server = '', command = '', exit = '', stdout = '', stderr = ''] = match
  return { about, server, command, exit: Number(exit), stdout, stderr }
}

export function formatSession({ about, server, command, exit, stdout, stderr }: Session): string {
  return `# ${about}\nserver: ${server}\n$ ${command}\nexit: ${exit}\nstdout:\n${stdout}stderr:\n${stderr}`
}

export type Stage = { readonly url: string; readonly folder: string }

/** Run a session's command in a folder of its own, with no terminal, and tell what came of it. What differs from run to
 * run is replaced by its name in braces. */
export async function playSession(session: Session, stage: Stage): Promise<Session> {
  const bin = join(stage.folder, 'bin')
  const work = join(stage.folder, 'app')
  await Promise.all([mkdir(bin, { recursive: true }), mkdir(work, { recursive: true })])
  await writeFile(join(bin, 'keyferry'), `#!/bin/sh\nexec ${START} "$@"\n`)
  await chmod(join(bin, 'keyferry'), 0o755)
  const { exit, stdout, stderr } = await shell(session.command, {
    cwd: work,
    env: {
      PATH: `${bin}:${process.env['PATH'] ?? ''}`,
      HOME: stage.folder,
      KEYFERRY_SERVER: stage.url,
      LANG: 'C.UTF-8',
    },
  })
  const neutral = (text: string): string => neutralText(text, stage)
  return { ...session, exit, stdout: neutral(stdout), stderr: neutral(stderr) }
}

function neutralText(text: string, { url, folder }: Stage): string {
  return text
    .replaceAll(url, '{server}')
    .replaceAll(folder, '{folder}')
    .replaceAll(VERSION, '{version}')
    .replace(/\b[0-9a-f]{32}\b/g, '{id}')
    .replace(/\b[B-Z]{4}-[B-Z]{4}\b/g, '{code}')
    .replace(/\b\d+ ms away/g, '{n} ms away')
    .replace(/\b[45]:\d\d left/g, '{time} left')
}

type ShellOptions = { cwd: string; env: Record<string, string> }

function shell(command: string, options: ShellOptions): Promise<Pick<Session, 'exit' | 'stdout' | 'stderr'>> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk
      })
    }
    child.on('close', (code, signal) => resolve({ ...output, exit: code ?? (signal === null ? 0 : 255) }))
  })
}
