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
  mkdirSync(join(folder, 'bin'))
  writeFileSync(join(folder, 'bin', 'keyferry'), FAKE, { mode: 0o755 })
})

const FAKE = '#!/bin/sh\n[ "$*" = "ls --here --quiet" ] && printf "dev/app\\nprod/app\\n"\n'

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

test.each(['bash', 'zsh', 'fish', 'powershell'] as const)('%s: every command and flag is there', (shell) => {
  const script = completionScript(shell, commands)
  for (const { name, flags } of commands) {
    expect(script).toContain(name)
    for (const flag of flags)
      expect(script).toContain(shell === 'fish' ? `-l ${flag.name}` : `--${flag.name}`)
  }
})
