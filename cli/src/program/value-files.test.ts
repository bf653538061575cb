import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openValueFiles, readWantedFiles } from './value-files.ts'

let runtime: string
beforeAll(() => {
  runtime = mkdtempSync(join(tmpdir(), 'keyferry-value-files-'))
})
afterAll(() => rmSync(runtime, { recursive: true }))

test('a value is in a file that only its owner can read, and its path takes its place', () => {
  const files = openValueFiles(readWantedFiles(['CERT=tls.pem']), { XDG_RUNTIME_DIR: runtime })
  const values = files.write(
    new Map([
      ['CERT', '-----\nAB\n'],
      ['PORT', '1'],
    ]),
  )
  const path = values.get('CERT') ?? ''
  expect(dirname(dirname(path))).toBe(runtime)
  expect(values.get('PORT')).toBe('1')
  expect(readFileSync(path, 'utf8')).toBe('-----\nAB\n')
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700])
  expect(files.write(new Map([['CERT', 'new']])).get('CERT')).toBe(path)
  expect(readFileSync(path, 'utf8')).toBe('new')
  files.remove()
  files.remove()
  expect(existsSync(dirname(path))).toBe(false)
})

test('a file whose name only begins like another one stays', () => {
  const files = openValueFiles(readWantedFiles(['NEW=tls.new', 'CERT=tls']), { XDG_RUNTIME_DIR: runtime })
  const values = files.write(
    new Map([
      ['NEW', 'one'],
      ['CERT', 'two'],
    ]),
  )
  expect(['NEW', 'CERT'].map((name) => readFileSync(values.get(name) ?? '', 'utf8'))).toEqual(['one', 'two'])
  files.remove()
})

test('without a runtime folder to write to, another place is used', () => {
  const wanted = readWantedFiles(['CERT=tls.pem'])
  const files = openValueFiles(wanted, { XDG_RUNTIME_DIR: import.meta.filename })
  const path = files.write(new Map([['CERT', 'one']])).get('CERT') ?? ''
  expect(readFileSync(path, 'utf8')).toBe('one')
  files.remove()
})

test('a value that was not delivered has no file', () => {
  const files = openValueFiles(readWantedFiles(['CERT=tls.pem']), { XDG_RUNTIME_DIR: runtime })
  expect(() => files.write(new Map())).toThrow('--file names CERT, which was not delivered')
  files.remove()
})

test.each([
  ['CERT'],
  ['CERT='],
  ['=a'],
  ['CERT=../a'],
  ['CERT=/etc/a'],
  ['CERT=..'],
  ['1A=a'],
  ['A=a', 'A=b'],
  ['A=a', 'B=a'],
])('--file %s %s is refused', (...texts) => {
  expect(() => readWantedFiles(texts)).toThrow('--file')
})
