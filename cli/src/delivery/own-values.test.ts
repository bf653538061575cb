import { execFileSync } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { OWN_FILE, ownValues } from './own-values.ts'

const NOBODY = 65_534
const canChangeUser = process.platform === 'linux' && process.getuid?.() === 0
if (!canChangeUser) console.warn('SKIPPED: only root can give a file to another user')

let folder: string
let path: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-own-'))
  path = join(folder, OWN_FILE)
})

afterEach(() => rmSync(folder, { recursive: true }))

const written = (text: string) => writeFileSync(path, text)

/** What is refused, without the path. */
function refusal(allowedNames: readonly string[] = []) {
  try {
    ownValues(folder, allowedNames)
    return null
  } catch (error) {
    const { message, next, exitCode } = error as { message: string; next: string; exitCode: number }
    return [exitCode, message.replace(`${path} cannot be used: `, ''), next]
  }
}

test('a folder without the file has no values of its own', () => {
  expect(ownValues(folder, [])).toEqual(new Map())
})

test('names and texts are the values, also after a byte order mark', () => {
  written('\ufeff{"PORT":"3001","EMPTY":""}')
  expect(ownValues(folder, [])).toEqual(new Map(Object.entries({ PORT: '3001', EMPTY: '' })))
})

test.each([
  '',
  '[]',
  'null',
  '{"A":1}',
  '{"A B":"x"}',
  '{"A":"a\\u0000b"}',
  '{"A":"\\ud83d"}',
  '{"A":"x","B":null}',
])('%j is refused', (text) => {
  written(text)
  const example = 'For example: {"PORT": "3001", "LOG_LEVEL": "debug"}'
  expect(refusal()).toEqual([2, 'it must be a JSON object of names and texts', example])
})

test('dangerous names have to be allowed', () => {
  written('{"NODE_OPTIONS":"--inspect","PORT":"1"}')
  expect(refusal()).toEqual([
    2,
    'dangerous names: NODE_OPTIONS makes Node.js or a package manager load code',
    'To use them anyway, add --allow-name NODE_OPTIONS.',
  ])
  expect(ownValues(folder, ['NODE_OPTIONS']).size).toBe(2)
})

test('a file that git tracks is refused', () => {
  written('{}')
  execFileSync('git', ['init', '-q', folder])
  expect(refusal()).toBe(null)
  execFileSync('git', ['-C', folder, 'add', OWN_FILE])
  const advice = 'Run git rm --cached keyferry.local.json, and add it to .gitignore.'
  expect(refusal()).toEqual([2, 'git tracks it, or its index cannot be read', advice])
})

test.skipIf(!canChangeUser)('a file of another user is refused', () => {
  written('{"PORT":"1"}')
  chownSync(path, NOBODY, NOBODY)
  expect(refusal()).toEqual([2, 'it belongs to another user', 'Remove it, or make a file of your own.'])
})
