import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { basename } from 'node:path'
import { announce } from '../base/announce.ts'
import { codeOf, generalError } from '../base/cli-error.ts'
import type { Environment, Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { endTree } from '../program/process-tree.ts'

// What an editor keeps elsewhere would contain the values: swap, undo and backup files, histories.
const VIM = `-n -i NONE -c 'silent! set nobackup nowritebackup viminfo=' -c 'silent! set noundofile'`
const EMACS = ['make-backup-files', 'auto-save-default', 'create-lockfiles', 'undo-tree-auto-save-history']

/** Arguments by the name of the editor. `keepsNothing`: with them, it keeps nothing elsewhere. */
const EDITORS: readonly { name: RegExp; args: string; keepsNothing: boolean }[] = [
  { name: /^nvim$/, args: VIM, keepsNothing: true },
  { name: /^g?vim(?:\.[\w-]+)?$/, args: `-f ${VIM}`, keepsNothing: true },
  { name: /^nano$/, args: '--ignorercfiles', keepsNothing: true },
  { name: /^emacs(?!client)/, args: `--eval '(setq ${EMACS.join(' nil ')} nil)'`, keepsNothing: true },
  { name: /^(?:code|code-insiders|codium|cursor|windsurf|zed|subl)$/, args: '--wait', keepsNothing: false },
]

// The program of a shell command, after assignments. Other forms, such as quotes, are left to the shell.
const PROGRAM = /^\s*(?:\w+=\S*\s+)*([\w@%+.,:/-]+)(?=\s|$)/

/** Find the person's editor before a request is made: as git does, VISUAL or EDITOR, a shell command that may have
 * arguments. Warns if the editor may keep the text elsewhere.
 * @returns runs the editor
 * @throws CliError general: it is not installed */
export function findEditor(parts: Parts) {
  const { env, platform } = parts
  const command = env['VISUAL'] || env['EDITOR'] || (platform === 'win32' ? 'notepad' : 'vi')
  const [, program = null] = platform === 'win32' ? [] : (PROGRAM.exec(command) ?? [])
  const names = program === null ? [] : namesOf(program, env)
  const known = EDITORS.find(({ name }) => names.some((each) => name.test(each)))
  if (known?.keepsNothing !== true) {
    const shown = printable(program ?? command, 40)
    const text = `${shown} may keep copies of the values: backups, undo files, local history. Check its settings.`
    announce(parts, { event: 'editor_may_copy', editor: shown }, text)
  }
  return editorOf(command, known?.args ?? '', parts)
}

// Prints the file of a program, and the one behind its links.
const FIND = 'file=$(command -v -- "$0") || exit; echo "$file"; readlink -f -- "$file" || :'

function namesOf(program: string, env: Environment): readonly string[] {
  const found = spawnSync('/bin/sh', ['-c', FIND, program], { env, encoding: 'utf8' })
  if (found.status === 0) return found.stdout.split('\n').map((file) => basename(file))
  throw generalError(
    `the editor was not found: ${printable(program)}`,
    'No request was made. Set EDITOR to an editor that is installed, such as EDITOR=nano.',
  )
}

// Less than a client that a signal ends may take.
const LAST_MS = 1_000

/** `edit` opens a file and waits until the editor ends. Meanwhile, the keys of the terminal are the editor's. It throws
 * CliError general if the editor fails. `end` ends the editor, and waits for its end. */
function editorOf(command: string, args: string, { platform, leaveKeysTo }: Parts) {
  let child: ChildProcess | null = null
  const run = async (path: string): Promise<string> => {
    const text = `${command} ${args}`
    child =
      platform === 'win32'
        ? spawn(`${text} "${path}"`, { stdio: 'inherit', shell: true })
        : // The shell must outlive the keys that the editor gets.
          spawn('/bin/sh', ['-c', `trap : INT QUIT; ${text} "$1"`, 'sh', path], { stdio: 'inherit' })
    const [status, signal]: unknown[] = await once(child, 'exit')
    child = null
    return typeof status === 'number' ? `status ${status}` : String(signal)
  }
  return {
    edit: async (path: string): Promise<void> => {
      const how = await leaveKeysTo(() => run(path).catch(codeOf))
      if (how === 'status 0') return
      throw generalError(
        `the editor ${printable(command)} ended with ${how}`,
        'Nothing was stored. Set EDITOR to a command that waits until you close the file.',
      )
    },
    end: async (): Promise<void> => {
      if (child?.pid !== undefined && platform !== 'win32') await endTree(child.pid, LAST_MS)
    },
  }
}
