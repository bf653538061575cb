import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import nextEnv from '@next/env'
import * as fc from 'fast-check'
import { loadEnv } from 'vite'
import { afterAll, expect, test } from 'vitest'
import { type HostileMap, hostileMaps, RUNS_OF_MANY_MAPS } from '../../../../e2e/hostile-maps.ts'
import { INSTALLS_PROGRAMS, skipOrFail } from '../../../../plumbing/test/programs.ts'
import { misfits } from '../format.ts'
import { FORMATS } from '../formats.ts'

const format = FORMATS['.env']
const folder = mkdtempSync(join(tmpdir(), 'keyferry-readers-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Values = Record<string, string>

function readAll(program: string, script: string): (texts: readonly string[]) => Values[] {
  return (texts) => {
    const path = join(import.meta.dirname, '../../../test', script)
    const { stdout, stderr, status } = spawnSync(program, [path], {
      input: JSON.stringify(texts),
      encoding: 'utf8',
      env: { LC_ALL: 'C.UTF-8' },
      maxBuffer: 64 * 1024 * 1024,
    })
    if (status !== 0) throw new Error(stderr)
    return JSON.parse(stdout)
  }
}

function readWithDirenv(texts: readonly string[]): Values[] {
  const path = join(folder, 'file.env')
  return texts.map((text) => {
    writeFileSync(path, text)
    const env = { PATH: process.env['PATH'] ?? '', HOME: folder, LC_ALL: 'C.UTF-8' }
    const { stdout, stderr, status } = spawnSync('direnv', ['dotenv', 'json', path], {
      encoding: 'utf8',
      env,
    })
    if (status !== 0) throw new Error(stderr)
    const all: Values = JSON.parse(stdout)
    return Object.fromEntries(Object.entries(all).filter(([name]) => !name.startsWith('DIRENV_')))
  })
}

// Both leave a name alone that the process has already.
function withoutVariables<T>(read: () => T): T {
  const before = process.env
  process.env = {}
  try {
    return read()
  } finally {
    process.env = before
  }
}

function readWithVite(texts: readonly string[]): Values[] {
  return texts.map((text) => {
    writeFileSync(join(folder, '.env'), text)
    return withoutVariables(() => loadEnv('none', folder, ''))
  })
}

function readWithNext(texts: readonly string[]): Values[] {
  const log = { info: () => {}, error: () => {} }
  return texts.map((text) => {
    writeFileSync(join(folder, '.env'), text)
    nextEnv.updateInitialEnv({})
    const { parsedEnv } = withoutVariables(() => nextEnv.loadEnvConfig(folder, true, log, true))
    return Object.fromEntries(Object.entries(parsedEnv ?? {}).map(([name, value]) => [name, value ?? '']))
  })
}

const NOTHING = /(?!)/
// The Ruby dotenv of Debian 12 is too old to read values of several lines.
const READERS = [
  [
    'python-dotenv',
    '/usr/bin/python3',
    ['-c', 'import dotenv'],
    readAll('/usr/bin/python3', 'read-dotenv.py'),
    { most: 500, unreadable: NOTHING },
  ],
  [
    'Ruby dotenv',
    'ruby',
    ['-e', 'require "dotenv"'],
    readAll('ruby', 'read-dotenv.rb'),
    { most: 500, unreadable: /\n/ },
  ],
  [
    'Ruby dotenv before 2.8',
    'ruby',
    ['-e', 'require "dotenv"'],
    readAll('ruby', 'read-dotenv.rb'),
    { most: 500, unreadable: NOTHING },
  ],
  ['Vite', process.execPath, ['--version'], readWithVite, { most: 200, unreadable: NOTHING }],
  ['Next.js', process.execPath, ['--version'], readWithNext, { most: 200, unreadable: NOTHING }],
  ['direnv', 'direnv', ['version'], readWithDirenv, { most: 60, unreadable: NOTHING }],
] as const

test.for(READERS)(
  '%s reads every value of a .env file but those that name it',
  ([reader, program, check, read, { most, unreadable }], { skip }) => {
    if (spawnSync(program, check).status !== 0) {
      skipOrFail(`${reader} is not installed, see ${INSTALLS_PROGRAMS}`)
      skip(`${reader} is not installed`)
    }
    const readable = (map: HostileMap) => {
      const wrong = new Set(misfits(format, map).map(({ name }) => name))
      return map.filter(
        ([name, value]) =>
          !wrong.has(name) && !format.misreadBy?.(value).includes(reader) && !unreadable.test(value),
      )
    }
    fc.assert(
      fc.property(hostileMaps, (maps) => {
        const all = maps.slice(0, most).map(readable)
        const texts = all.map((map) => format.write(map))
        expect(read(texts)).toEqual(all.map((map) => Object.fromEntries(map)))
      }),
      { numRuns: RUNS_OF_MANY_MAPS },
    )
  },
)

test.each([
  ["it's", []],
  ['two\nlines', ['Ruby dotenv before 2.8', 'direnv']],
  ['a\\\\b', ['python-dotenv']],
  ['costs $5', ['Next.js', 'Bun']],
  ['a$HOME', ['Vite', 'Next.js', 'Bun']],
  ['a\\$', ['Vite', 'Next.js', 'Bun']],
  ["it's $5", ['Ruby dotenv', 'Ruby dotenv before 2.8', 'direnv', 'Docker Compose', 'Next.js', 'Bun']],
  ['{"a":"it\'s"}', ['python-dotenv', 'Ruby dotenv', 'Ruby dotenv before 2.8', 'direnv', 'Docker Compose']],
])('%j is misread by %j', (value, readers) => {
  expect(format.misreadBy?.(value)).toEqual(readers)
})
