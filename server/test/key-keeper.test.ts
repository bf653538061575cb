import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { keeperOf } from '../src/root-key/key-keeper.ts'
import { isKeeperId } from '../src/settings/setting-values.ts'
import { temporaryFolder } from './program.ts'

const folder = temporaryFolder()
const KEY = Buffer.alloc(32, 7)

beforeAll(() => mkdirSync(join(folder.path, 'open')))
afterAll(() => folder.remove())

function program(text: string, name = 'keeper'): string {
  const path = join(folder.path, name)
  writeFileSync(path, `#!/bin/sh\n${text}\n`)
  chmodSync(path, 0o755)
  return `command:${path}`
}

test('it gets one JSON object, no arguments and no environment', () => {
  const log = join(folder.path, 'log')
  const id = program(`{ cat; echo "$# $PWD"; /usr/bin/env; } >${log}; echo '{"data":"AQID"}'`)
  process.env['KEYFERRY_SECRET_OF_A_TEST'] = 'x'
  expect(Buffer.from(keeperOf(id).wrap(KEY, 'C'))).toEqual(Buffer.from([1, 2, 3]))
  const [call = '', rest = ''] = readFileSync(log, 'utf8').split(/\n(.*)/s)
  expect(JSON.parse(call)).toEqual({ call: 'wrap', context: 'C', data: KEY.toString('base64') })
  expect(rest).toMatch(/^0 \/\n/)
  expect(rest).not.toContain('KEYFERRY_SECRET_OF_A_TEST')
})

test.each([
  ['fails', 'echo first >&2; echo "the token is gone" >&2; exit 3', 'the token is gone'],
  ['fails without a word', 'exit 3', 'exit code 3'],
  ['writes something else', 'echo hello', 'did not answer with'],
  ['writes too much', 'head -c 100000 /dev/zero', 'over 4096 bytes'],
])('one that %s is named with its reason', (_, text, reason) => {
  const id = program(text)
  expect(() => keeperOf(id).unwrap(KEY, '')).toThrow(`the keeper of the root key, ${id}, does not give it: `)
  expect(() => keeperOf(id).unwrap(KEY, '')).toThrow(reason)
})

test('a program that others can change is not run, nor one in a folder that they can change', () => {
  chmodSync(join(folder.path, 'open'), 0o777)
  const open = program('exit 0')
  chmodSync(join(folder.path, 'keeper'), 0o775)
  expect(() => keeperOf(open)).toThrow(`${join(folder.path, 'keeper')} can be changed by other users`)
  const inOpen = program('exit 0', 'open/keeper')
  expect(() => keeperOf(inOpen)).toThrow(`${join(folder.path, 'open')} can be changed by other users`)
  expect(() => keeperOf('command:/no/such/keeper')).toThrow('does not exist')
})

test.each([
  ['command:/usr/lib/keyferry/keeper', true],
  ['command:keeper', false],
  ['command:/usr/lib/keeper --flag', false],
  ['/usr/lib/keeper', false],
])('%s is an id of a keeper: %s', (text, expected) => {
  expect(isKeeperId(text)).toBe(expected)
})
