import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepOutOfGit, makePrivateFile, makePrivateFolder } from './private-files.ts'

let place: string

beforeEach(() => {
  place = mkdtempSync(join(tmpdir(), 'keyferry-private-'))
})

afterEach(() => rmSync(place, { recursive: true }))

const modeOf = (path: string) => statSync(path).mode & 0o777

test('a folder and its missing parents are for this account only', () => {
  const folder = join(place, 'a', 'b')
  makePrivateFolder(folder)
  expect([modeOf(join(place, 'a')), modeOf(folder)]).toEqual([0o700, 0o700])
})

test('a file is for this account only, and what it contains stays', () => {
  const file = join(place, 'file')
  makePrivateFile(file)
  expect(modeOf(file)).toBe(0o600)
  writeFileSync(file, 'text')
  makePrivateFile(file)
  expect(readFileSync(file, 'utf8')).toBe('text')
})

test('Git adds nothing from a folder that is kept out of it', () => {
  const git = (...words: readonly string[]) => spawnSync('git', words, { cwd: place, encoding: 'utf8' })
  git('init', '-q')
  makePrivateFolder(join(place, 'data'))
  writeFileSync(join(place, 'data', 'root.key'), 'secret')
  keepOutOfGit(join(place, 'data'))
  expect(git('status', '--porcelain', '--untracked-files=all').stdout).toBe('')
})

test('a .gitignore that is there stays as it is', () => {
  writeFileSync(join(place, '.gitignore'), 'mine\n')
  keepOutOfGit(place)
  expect(readFileSync(join(place, '.gitignore'), 'utf8')).toBe('mine\n')
})
