import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv as parseAsNode } from 'node:util'
import { parse as parseAsDotenv } from 'dotenv'
import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type HostileMap, hostileMap, hostileMaps, RUNS_OF_MANY_MAPS } from '../../../e2e/hostile-maps.ts'
import { POSIX_SHELLS, type RealShell, readBack, requireShell } from '../../../e2e/real-shells.ts'
import { readDocker, readGithubActions, readPowershell, readSystemd } from '../../test/format-readers.ts'
import { misfits } from './format.ts'
import { FORMAT_NAMES, type FormatName } from './format-names.ts'
import { writeEnv } from './formats/interface-text.ts'
import { FORMATS } from './formats.ts'
import type { Grammar } from './grammar.ts'
import { composeGrammar } from './grammars/compose.ts'
import { dotenvGrammar } from './grammars/dotenv.ts'
import { shellGrammar } from './grammars/shell.ts'
import { readEnv } from './read-env.ts'

// What a format says it can express.
function writable(name: FormatName, map: HostileMap): Map<string, string> {
  const wrong = new Set(misfits(FORMATS[name], map).map((misfit) => misfit.name))
  return new Map(map.filter(([key]) => !wrong.has(key)))
}

describe.each([...POSIX_SHELLS.map((shell) => [shell, 'sh'] as const), ['fish', 'fish'] as const])(
  '%s',
  (shell, name) => {
    const { whyNot, write } = FORMATS[name]

    test('gets every byte back', async ({ skip }) => {
      requireShell(shell, skip)
      await fc.assert(
        fc.asyncProperty(hostileMaps, async (maps) => {
          const all = maps.map((map) => writable(name, map))
          const texts = all.map((values) => ({ text: write(values), names: [...values.keys()] }))
          expect(await readBack(shell, texts)).toEqual(all.map((values) => [...values.values()]))
        }),
        { numRuns: RUNS_OF_MANY_MAPS },
      )
    })

    test('reserves no name that the format accepts', async ({ skip }) => {
      requireShell(shell, skip)
      const value = 'q[$(touch run)] y'
      const names = ownNames(shell).filter((own) => own !== 'PATH' && whyNot(own, value) === null)
      expect(names.length).toBeGreaterThan(2)
      const texts = names.map((own) => ({ text: write(new Map([[own, value]])), names: [own] }))
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
    mksh: 'set',
    fish: 'set -n',
  }[shell]
  const { stdout } = spawnSync(shell, ['-c', list], { encoding: 'utf8' })
  const names = stdout.match(/^[A-Za-z_]\w*/gm) ?? []
  // A shell lists these only once they are used.
  const unlisted = ['RANDOM', 'SRANDOM', 'SECONDS', 'LINENO', 'HISTCMD', 'OPTIND', 'UID', 'status', 'BASHPID']
  return [...new Set([...names, ...unlisted, 'PIPESTATUS', 'EPOCHREALTIME', 'TMOUT', 'COLUMNS', 'LINES'])]
}

test.for('USER_ID PGRP KSHUID KSHGID KSHEGID PIPESTATUS BASHPID PPID COLUMNS LINES'.split(' '))(
  'mksh runs a command in the value of %s, so sh and the export refuse it',
  (name, { skip }) => {
    requireShell('mksh', skip)
    const folder = mkdtempSync(join(tmpdir(), 'keyferry-mksh-'))
    const value = 'q[$(: > ran)]'
    // The export is evaluated as it is; sh adds `export`.
    spawnSync('mksh', ['-c', `${name}='${value}'`], { cwd: folder })
    const isRun = existsSync(join(folder, 'ran'))
    rmSync(folder, { recursive: true })
    expect(isRun).toBe(true)
    expect(FORMATS.sh.whyNot(name, value)).not.toBeNull()
    expect(() => writeEnv([[name, value]])).toThrow(name)
  },
)

test.each([
  ['npm dotenv', parseAsDotenv],
  ['node --env-file', parseAsNode],
] as const)('%s reads .env files', (_, read) => {
  fc.assert(
    fc.property(hostileMap, (map) => {
      const values = writable('.env', map)
      expect({ ...read(FORMATS['.env'].write(values)) }).toEqual(Object.fromEntries(values))
    }),
  )
})

test('.env refuses only values that npm dotenv and Node.js read differently', () => {
  const { whyNot } = FORMATS['.env']
  expect(whyNot('A', 'all \' " `')).toContain('quotes')
  expect(whyNot('A', 'cr\r')).toContain('carriage return')
  expect(whyNot('A', 'C:\\')).not.toBeNull()
  expect(whyNot('1A', 'x')).toContain('digit')
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
    expect(whyNot('A', value)).toBeNull()
  }
})

function readByGrammar(grammar: Grammar) {
  return (text: string): Map<string, string> =>
    new Map(readEnv(text, grammar).entries.map((entry) => [entry.name, entry.value]))
}

test.each([
  ['json', (text: string) => new Map(Object.entries(JSON.parse(text) as Record<string, string>))],
  ['docker', readDocker],
  ['systemd', readSystemd],
  ['github-actions', readGithubActions],
  ['powershell', readPowershell],
  ['sh', readByGrammar(shellGrammar)],
  ['.env', readByGrammar(dotenvGrammar)],
  ['compose', readByGrammar(composeGrammar)],
] as const)('%s is read back by its documented grammar', (name, read) => {
  fc.assert(
    fc.property(hostileMap, (map) => {
      const values = writable(name, map)
      expect(read(FORMATS[name].write(values))).toEqual(values)
    }),
  )
})

test.each([
  ['docker', 'A', 'two\nlines'],
  ['docker', 'A', 'end\r'],
  ['docker', 'A', 'x'.repeat(65_536)],
  ['systemd', 'A', 'bell\u0007'],
  ['systemd', 'A', 'x\ufffe'],
  ['systemd', 'A', 'x\uffff'],
  ['systemd', 'A', '\ufdd0'],
  ['systemd', 'A', '\u{10ffff}'],
  ['systemd', '1A', 'x'],
  ['compose', 'A', "it's \\$"],
  ['github-actions', 'GITHUB_TOKEN', 'x'],
  ['github-actions', 'NODE_OPTIONS', 'x'],
  ['powershell', 'A', ''],
  ['sh', 'RANDOM', 'x'],
  ['sh', 'COLUMNS', 'x'],
  ['fish', 'status', 'x'],
] as const)('%s refuses what it cannot express (%#)', (format, name, value) => {
  expect(FORMATS[format].whyNot(name, value)).not.toBeNull()
})

test('docker takes a line of 65,535 bytes', () => {
  expect(FORMATS.docker.whyNot('A', 'x'.repeat(65_533))).toBeNull()
  expect(FORMATS.docker.whyNot('A', 'x'.repeat(65_534))).not.toBeNull()
})

const writtenForCompose = (value: string) => FORMATS.compose.write([['A', value]])

test('compose quotes what Compose would expand, join or end', () => {
  expect(writtenForCompose('$HOME')).toBe("A='$HOME'\n")
  expect(writtenForCompose('a\\nb')).toBe("A='a\\nb'\n")
  expect(writtenForCompose("it's $5")).toBe('A="it\'s \\$5"\n')
  expect(writtenForCompose('C:\\')).toBe('A="C:\\\\"\n')
  expect(writtenForCompose('a\r\nb')).toBe('A="a\\r\nb"\n')
})

test('a delimiter that a value contains is not used', () => {
  const values = new Map([['A', 'KEYFERRY_END_0\nB<<KEYFERRY_END_1']])
  expect(readGithubActions(FORMATS['github-actions'].write(values))).toEqual(values)
})

test.each(FORMAT_NAMES)('%s writes nothing for no variables, or an empty object', (name) => {
  expect(FORMATS[name].write([])).toMatch(/^(?:\{\}\n)?$/)
})
