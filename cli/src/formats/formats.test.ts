import { spawnSync } from 'node:child_process'
import { parseEnv as parseAsNode } from 'node:util'
import { parse as parseAsDotenv } from 'dotenv'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type HostileMap, hostileMap, hostileMaps } from '../../../e2e/hostile-maps.ts'
import { POSIX_SHELLS, type RealShell, readBack, requireShell } from '../../../e2e/real-shells.ts'
import { readDocker, readGithubActions, readPowershell, readSystemd } from '../../test/format-readers.ts'
import { docker } from './docker.ts'
import { dotenv } from './dotenv.ts'
import { fish } from './fish.ts'
import { type Format, writeValues } from './format.ts'
import { FORMAT_NAMES, loaderOf } from './formats.ts'
import { githubActions } from './github-actions.ts'
import { json } from './json.ts'
import { powershell } from './powershell.ts'
import { sh } from './sh.ts'
import { systemd } from './systemd.ts'

const RUNS_WITH_PROCESSES = 8

// What a format says it can hold.
function held(format: Format, map: HostileMap): Map<string, string> {
  return new Map(map.filter(([name, value]) => format.whyNot(name, value) === null))
}

describe.each([...POSIX_SHELLS.map((shell) => [shell, sh] as const), ['fish', fish] as const])(
  '%s',
  (shell, format) => {
    test('gets every byte back', { timeout: 120_000 }, async ({ skip }) => {
      requireShell(shell, skip)
      await fc.assert(
        fc.asyncProperty(hostileMaps, async (maps) => {
          const all = maps.map((map) => held(format, map))
          const texts = all.map((values) => ({ text: format.write(values), names: [...values.keys()] }))
          expect(await readBack(shell, texts)).toEqual(all.map((values) => [...values.values()]))
        }),
        { numRuns: RUNS_WITH_PROCESSES },
      )
    })

    test('no name that it keeps for itself is let through', async ({ skip }) => {
      requireShell(shell, skip)
      const value = 'q[$(touch run)] y'
      const names = ownNames(shell).filter((name) => name !== 'PATH' && format.whyNot(name, value) === null)
      expect(names.length).toBeGreaterThan(2)
      const texts = names.map((name) => ({ text: format.write(new Map([[name, value]])), names: [name] }))
      expect(await readBack(shell, texts)).toEqual(names.map(() => [value]))
    })
  },
)

function ownNames(shell: RealShell): string[] {
  const list = {
    sh: 'set',
    dash: 'set',
    bash: 'compgen -v',
    zsh: 'zmodload zsh/parameter; print -l $'.concat('{(k)parameters}'),
    fish: 'set -n',
  }[shell]
  const { stdout } = spawnSync(shell, ['-c', list], { encoding: 'utf8' })
  const names = stdout.match(/^[A-Za-z_]\w*/gm) ?? []
  // Of these a shell says nothing until they are used.
  return [
    ...new Set([...names, 'RANDOM', 'SRANDOM', 'SECONDS', 'LINENO', 'HISTCMD', 'OPTIND', 'UID', 'status']),
  ]
}

test.each([
  ['dotenv', parseAsDotenv],
  ['node --env-file', parseAsNode],
] as const)('%s reads .env files', (_, read) => {
  fc.assert(
    fc.property(hostileMap, (map) => {
      const values = held(dotenv, map)
      expect({ ...read(dotenv.write(values)) }).toEqual(Object.fromEntries(values))
    }),
    { numRuns: 5_000 },
  )
})

test('.env refuses only what the two readers do not agree on', () => {
  expect(dotenv.whyNot('A', 'all \' " `')).toContain('quote')
  expect(dotenv.whyNot('A', 'cr\r')).toContain('carriage return')
  expect(dotenv.whyNot('A', 'C:\\')).not.toBeNull()
  expect(dotenv.whyNot('1A', 'x')).toContain('digit')
  for (const value of [
    '',
    'plain',
    "it's",
    'two\nlines',
    '$HOME `id` "x"',
    '# no comment',
    ' blanks ',
    'a\\nb',
  ]) {
    expect(dotenv.whyNot('A', value)).toBeNull()
  }
})

test.each([
  ['json', json, (text: string) => new Map(Object.entries(JSON.parse(text) as Record<string, string>))],
  ['docker', docker, readDocker],
  ['systemd', systemd, readSystemd],
  ['github-actions', githubActions, readGithubActions],
  ['powershell', powershell, readPowershell],
] as const)('%s is read back by its documented grammar', (_, format, read) => {
  fc.assert(
    fc.property(hostileMap, (map) => {
      const values = held(format, map)
      expect(read(format.write(values))).toEqual(values)
    }),
    { numRuns: 5_000 },
  )
})

test.each([
  [docker, 'A', 'two\nlines'],
  [docker, 'A', 'end\r'],
  [docker, 'A', 'x'.repeat(65_536)],
  [systemd, 'A', 'bell\u0007'],
  [systemd, '1A', 'x'],
  [githubActions, 'GITHUB_TOKEN', 'x'],
  [githubActions, 'NODE_OPTIONS', 'x'],
  [powershell, 'A', ''],
  [sh, 'RANDOM', 'x'],
  [sh, 'COLUMNS', 'x'],
  [fish, 'status', 'x'],
] as const)('what a format cannot hold is refused (%#)', (format, name, value) => {
  expect(() => writeValues('test', format, new Map([[name, value]]))).toThrow(name)
})

test('a delimiter that a value holds is not used', () => {
  const values = new Map([['A', 'KEYFERRY_END_0\nB<<KEYFERRY_END_1']])
  expect(readGithubActions(githubActions.write(values))).toEqual(values)
})

test('every format is named and loads', async () => {
  for (const name of FORMAT_NAMES) expect(await loaderOf(name).load()).toHaveProperty('write')
})
