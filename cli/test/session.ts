import { spawn } from 'node:child_process'
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CLIENT_PROGRAM } from '../../e2e/programs.ts'
import { VERSION } from '../src/base/version.ts'

// KEYFERRY_UNDER_TEST names another build of the client: the published package's, or a single executable.
const KEYFERRY = process.env['KEYFERRY_UNDER_TEST'] ?? CLIENT_PROGRAM
const START = KEYFERRY.endsWith('.js') ? `'${process.execPath}' '${KEYFERRY}'` : `'${KEYFERRY}'`

// Each session has a home of its own. Without a shared folder, each would compile the client again, which takes
// twice as long as all else that a session does.
const COMPILED_CLIENT = join(tmpdir(), 'compiled-client')

/** One command line against a server of that name, and what comes of it. */
export type Session = {
  readonly about: string
  readonly server: string
  readonly command: string
  readonly exit: number
  readonly stdout: string
  readonly stderr: string
}

/** The sessions of one file, under its title. */
export type SessionFile = { readonly title: string; readonly sessions: readonly Session[] }

const SESSION = /^(.*)\nserver: (.*)\n\$ ([\s\S]*?)\n(?:exit: (\d+)\n)?((?:[>!][^\n]*\n)*)$/

/** Read a session file: `# title`, then for each session `## about`, `server: name`, `$ command`, `exit: code` unless
 * it is 0, and the output: lines of stdout after `>`, lines of stderr after `!`. A last line `>\` or `!\` says that
 * the output has no line end. */
export function parseSessionFile(text: string): SessionFile {
  const [head = '', ...parts] = text.split(/^## /m)
  const title = /^# (.*)\n\n$/.exec(head)?.[1]
  if (title === undefined || parts.length === 0) throw new Error('not a session file')
  return { title, sessions: parts.map((part) => parseSession(part.trimEnd())) }
}

function parseSession(part: string): Session {
  const match = SESSION.exec(`${part}\n`)
  if (match === null) throw new Error(`not a session: ${part}`)
  const [, about = '', server = '', command = '', exit = '0', output = ''] = match
  const stdout = readOutput('>', output)
  return { about, server, command, exit: Number(exit), stdout, stderr: readOutput('!', output) }
}

function readOutput(mark: string, output: string): string {
  const lines = output.split('\n').filter((line) => line.startsWith(mark))
  const hasNoEnd = lines.at(-1) === `${mark}\\`
  const text = (hasNoEnd ? lines.slice(0, -1) : lines).map((line) => `${line.slice(2)}\n`).join('')
  return hasNoEnd ? text.slice(0, -1) : text
}

/** The text of a session file. */
export function formatSessionFile({ title, sessions }: SessionFile): string {
  return `# ${title}\n\n${sessions.map(formatSession).join('\n')}`
}

function formatSession({ about, server, command, exit, stdout, stderr }: Session): string {
  const code = exit === 0 ? '' : `exit: ${exit}\n`
  return `## ${about}\nserver: ${server}\n$ ${command}\n${code}${marked('>', stdout)}${marked('!', stderr)}`
}

function marked(mark: string, text: string): string {
  if (text === '') return ''
  const lines = text.replace(/\n$/, '').split('\n')
  const end = text.endsWith('\n') ? '' : `${mark}\\\n`
  return `${lines.map((line) => `${mark}${line === '' ? '' : ` ${line}`}\n`).join('')}${end}`
}

export type Stage = { readonly url: string; readonly folder: string }

/** Run a session's command in a new folder, without a terminal. What differs between runs is replaced by its name in
 * braces. */
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
      XDG_CACHE_HOME: COMPILED_CLIENT,
      KEYFERRY_SERVER: stage.url,
      LANG: 'C.UTF-8',
      XDG_RUNTIME_DIR: join(bin, 'r'),
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
    .replace(/\/a\/[\w-]{22}\b/g, '/a/{short id}')
    .replace(/\b[0-9a-f]{32}\b/g, '{id}')
    .replace(/\b[B-Z]{4}(?:-[B-Z]{4}){4}\b/g, '{fingerprint}')
    .replace(/\b[B-Z]{4}-[B-Z]{4}\b/g, '{code}')
    .replace(/\bkeyferry-files-\w{6}\b/g, 'keyferry-files-{unique}')
    .replace(/\b\d+ ms away/g, '{n} ms away')
    .replace(/\b(?:[45]|29|30):\d\d left/g, '{time} left')
}

type ShellOptions = { cwd: string; env: Record<string, string> }

function shell(command: string, options: ShellOptions): Promise<Pick<Session, 'exit' | 'stdout' | 'stderr'>> {
  return new Promise((resolve) => {
    // Detached: without the terminal that the tests run in.
    const child = spawn('/bin/sh', ['-c', command], {
      ...options,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    const output = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'] as const) {
      child[name].setEncoding('utf8').on('data', (chunk: string) => {
        output[name] += chunk
      })
    }
    child.on('close', (code, signal) => resolve({ ...output, exit: code ?? (signal === null ? 0 : 255) }))
  })
}
