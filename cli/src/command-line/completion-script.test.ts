import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIENT_PROGRAM } from '../../../e2e/programs.ts'
import { requireShell } from '../../../e2e/real-shells.ts'
import { commands } from '../commands/commands.ts'
import { complete } from './complete.ts'
import { COMPLETION_SCRIPTS, COMPLETION_SHELLS } from './completion-script.ts'

const listBundles = async () => ['dev/app', 'prod/app']

test.each([
  ['pu', ['pull']],
  ['pull --fo', ['--format', '--force', '--for-agent']],
  ['pull --format d', ['docker']],
  ['pull -f sys', ['systemd']],
  ['pull --output ', [':files']],
  ['completion z', ['zsh']],
  ['help im', ['import']],
  ['run -- ls', [':files']],
  ['run d', ['dev/app']],
  ['diff dev/app ', ['dev/app', 'prod/app']],
  ['set NAME --bundle ', ['dev/app', 'prod/app']],
  ['unset NAME -b p', ['prod/app']],
  ['import .env -b d', ['dev/app']],
  ['import ', [':files']],
  ['edit d', ['dev/app']],
  ['audit v', ['verify']],
  ['receipt verify rec', [':files']],
  ['nothing ', []],
])('keyferry %s', async (line, expected) => {
  const words = line.split(' ')
  const found = await complete(words, words.length - 1, { commands, listBundles })
  expect(found.map((each) => each.split('\t')[0])).toEqual(expect.arrayContaining(expected))
  if (expected.length < 2) expect(found).toHaveLength(expected.length)
})

test('each command and each of its flags is offered, with what it does', async () => {
  const verbs = await complete([''], 0, { commands, listBundles })
  for (const { name, summary, flags } of commands) {
    expect(verbs).toContain(`${name}\t${summary}`)
    const offered = await complete([name, '--'], 1, { commands, listBundles })
    for (const flag of flags) expect(offered).toContain(`--${flag.name}\t${flag.summary}`)
  }
})

let folder: string

// The client itself, in the PATH of the shells.
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-completion-'))
  for (const shell of COMPLETION_SHELLS) writeFileSync(join(folder, shell), COMPLETION_SCRIPTS[shell])
  writeFileSync(join(folder, 'receipt.json'), '{}')
  mkdirSync(join(folder, 'bin'))
  const client = `#!/bin/sh\nexec '${process.execPath}' '${CLIENT_PROGRAM}' "$@"\n`
  writeFileSync(join(folder, 'bin', 'keyferry'), client, { mode: 0o755 })
})
afterAll(() => rmSync(folder, { recursive: true }))

function output(shell: string, args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(shell, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { ...process.env, HOME: folder, PATH: `${join(folder, 'bin')}:${process.env['PATH'] ?? ''}` },
  })
  expect(stderr).toBe('')
  return stdout
}

test.each([
  [['keyferry', 'pu'], 'pull'],
  [['keyferry', 'pull', '--fo'], '--format --force --for-agent'],
  [['keyferry', 'receipt', 'v'], 'verify'],
  [['keyferry', 'receipt', 'verify', ''], ''],
])('bash: %j', (words, expected) => {
  const line = words.map((word) => `'${word}'`).join(' ')
  const script = `compopt() { :; }; source ./bash; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _keyferry; echo "\${COMPREPLY[*]}"`
  expect(output('bash', ['--norc', '-c', script]).trim()).toBe(expected)
})

test.for([
  ['keyferry im', 'import'],
  ['keyferry pull --format sys', 'systemd'],
  ['keyferry receipt verify receipt.j', 'receipt.json'],
])('fish: %s', ([line, expected], { skip }) => {
  requireShell('fish', skip)
  const completed = output('fish', ['--no-config', '-c', `source fish; complete -C ${JSON.stringify(line)}`])
  expect(completed.split('\n').map((entry) => entry.split('\t')[0])).toContain(expected)
})

test('zsh completes commands, flags and files', ({ skip }) => {
  requireShell('zsh', skip)
  const lines = { 'receipt v': 'receipt verify', 'receipt verify rec': 'receipt verify receipt.json' }
  // A terminal types each line with a tab, and the shell prints what it made of it.
  const typed = Object.keys(lines).map(
    (line) => `zpty -w -n z $'keyferry ${line}\\t\\001echo ran: \\n'; zpty -r z text '*ran: *READY> *'`,
  )
  const script = [
    'zmodload zsh/zpty; zpty z zsh -f -i',
    `zpty -w z "PS1='REA''DY> '; bindkey -e; autoload -U compinit; compinit -u -D; source ./zsh"`,
    `zpty -r z text '*READY> *'`,
    ...typed.map((line) => `${line}; print -r -- "$text"`),
    'zpty -d z',
  ].join('\n')
  const ran = output('zsh', ['-f', '-c', script]).match(/(?<=^ran: keyferry ).*?(?=\s*$)/gm)
  expect(ran).toEqual(Object.values(lines))
})
