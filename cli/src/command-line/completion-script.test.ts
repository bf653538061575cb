import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { requireShell } from '../../../e2e/real-shells.ts'
import { commands } from '../commands/commands.ts'
import { completionScript } from './completion-script.ts'

let folder: string

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-completion-'))
  for (const shell of ['bash', 'zsh', 'fish', 'powershell'] as const) {
    writeFileSync(join(folder, shell), completionScript(shell, commands))
  }
  writeFileSync(join(folder, 'receipt.json'), '{}')
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin', 'keyferry'), FAKE, { mode: 0o755 })
})

// Lists two bundles, and prints any other command line.
const FAKE = `#!/bin/sh
if [ "$*" = "ls --here --quiet" ]; then printf "dev/app\\nprod/app\\n"; else echo "ran: $*"; fi
`

afterAll(() => rmSync(folder, { recursive: true }))

// Says loudly what it leaves out; on CI a missing shell is a failure.
function hasFish(): boolean {
  let isThere = true
  requireShell('fish', () => {
    isThere = false
  })
  return isThere
}

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
  [['keyferry', 'pull', '--format', 'd'], 'docker'],
  [['keyferry', 'completion', 'z'], 'zsh'],
  [['keyferry', 'help', 'im'], 'import'],
  [['keyferry', 'run', '--', 'ls'], ''],
  [['keyferry', 'run', 'd'], 'dev/app'],
  [['keyferry', 'diff', 'dev/app', ''], 'dev/app prod/app'],
  [['keyferry', 'set', 'NAME', '--bundle', ''], 'dev/app prod/app'],
  [['keyferry', 'unset', 'NAME', '-b', 'p'], 'prod/app'],
  [['keyferry', 'import', '.env', '-b', 'd'], 'dev/app'],
  [['keyferry', 'edit', 'd'], 'dev/app'],
  [['keyferry', 'audit', 'v'], 'verify'],
  [['keyferry', 'receipt', 'v'], 'verify'],
  [['keyferry', 'receipt', 'verify', ''], ''],
])('bash: %j', (words, expected) => {
  const line = words.map((word) => `'${word}'`).join(' ')
  const script = `compopt() { :; }; source ./bash; COMP_WORDS=(${line}); COMP_CWORD=${words.length - 1}; _keyferry; echo "\${COMPREPLY[*]}"`
  expect(output('bash', ['--norc', '-c', script]).trim()).toBe(expected)
})

test.each([
  ['keyferry st', 'status'],
  ['keyferry pull --resu', '--resumable'],
  ['keyferry pull --format sys', 'systemd'],
  ['keyferry completion po', 'powershell'],
  ['keyferry open pr', 'prod/app'],
  ['keyferry set NAME --bundle ', 'prod/app'],
  ['keyferry unset NAME -b pr', 'prod/app'],
  ['keyferry import .env --bundle de', 'dev/app'],
  ['keyferry edit de', 'dev/app'],
  ['keyferry audit ', 'verify'],
  ['keyferry receipt v', 'verify'],
  ['keyferry receipt verify receipt.j', 'receipt.json'],
])('fish: %s', (line, expected) => {
  if (!hasFish()) return
  const completed = output('fish', ['--no-config', '-c', `source fish; complete -C ${JSON.stringify(line)}`])
  expect(completed.split('\n').map((entry) => entry.split('\t')[0])).toContain(expected)
})

test('zsh reads its script', ({ skip }) => {
  requireShell('zsh', skip)
  expect(
    output('zsh', [
      '-f',
      '-c',
      'autoload -U compinit; compinit -u -D; source ./zsh; print $_comps[keyferry]',
    ]),
  ).toBe('_keyferry\n')
})

test('zsh completes bundles, verify and files', ({ skip }) => {
  requireShell('zsh', skip)
  const lines = [
    'set NAME --bundle p',
    'unset NAME -b p',
    'import .env -b d',
    'edit p',
    'audit v',
    'receipt v',
    'receipt verify rec',
  ]
  // A terminal types each line with a tab. The program prints what the shell made of it.
  const typed = lines.map(
    (line) => `zpty -w -n z $'keyferry ${line}\\t\\n'; zpty -r z text '*ran: *READY> *'`,
  )
  const script = [
    'zmodload zsh/zpty; zpty z zsh -f -i',
    `zpty -w z "PS1='REA''DY> '; autoload -U compinit; compinit -u -D; source ./zsh"`,
    `zpty -r z text '*READY> *'`,
    ...typed.map((line) => `${line}; print -r -- "$text"`),
    'zpty -d z',
  ].join('\n')
  const ran = output('zsh', ['-f', '-c', script]).match(/(?<=^ran: ).*?(?=\s*$)/gm)
  expect(ran).toEqual([
    'set NAME --bundle prod/app',
    'unset NAME -b prod/app',
    'import .env -b dev/app',
    'edit prod/app',
    'audit verify',
    'receipt verify',
    'receipt verify receipt.json',
  ])
})

test.each(['bash', 'zsh', 'fish', 'powershell'] as const)('%s: every command and flag is there', (shell) => {
  const script = completionScript(shell, commands)
  for (const { name, flags } of commands) {
    expect(script).toContain(name)
    for (const flag of flags)
      expect(script).toContain(shell === 'fish' ? `-l ${flag.name}` : `--${flag.name}`)
  }
})
