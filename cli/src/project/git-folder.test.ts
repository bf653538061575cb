import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { isTracked, mainFolder } from './git-folder.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'keyferry-git-')))
afterAll(() => rmSync(folder, { recursive: true }))

const FILE = 'keyferry.local.json'
const IDENTITY = [
  '-c',
  'user.name=Sam',
  '-c',
  'user.email=sam@example.com',
  '-c',
  'protocol.file.allow=always',
]

function git(cwd: string, ...args: readonly string[]): void {
  execFileSync('git', [...IDENTITY, ...args], {
    cwd,
    stdio: 'pipe',
    env: { PATH: process.env['PATH'], HOME: folder },
  })
}

function repository(name: string, ...options: readonly string[]): string {
  const path = join(folder, name)
  mkdirSync(join(path, 'app'), { recursive: true })
  git(path, 'init', '-q', ...options)
  // Names around the file, so that an index of version 4 stores only their ends.
  for (const file of ['keyferry.json', 'keyferry.local.jso', FILE, `app/${FILE}x`, `x${FILE}`])
    writeFileSync(join(path, file), '{}')
  return path
}

test.each([
  ['2', []],
  ['4', []],
  ['2', ['--object-format=sha256']],
  ['4', ['--object-format=sha256']],
])('what git tracks, in an index of version %s, %j', (version, options) => {
  const path = repository(`v${version}${options.length}`, ...options)
  expect(isTracked(join(path, FILE))).toBe(false) // there is no index yet
  git(path, 'add', 'keyferry.json', 'keyferry.local.jso', `app/${FILE}x`, `x${FILE}`)
  git(path, 'update-index', '--index-version', version)
  expect(isTracked(join(path, FILE))).toBe(false)
  expect(isTracked(join(path, 'app', FILE))).toBe(false)
  git(path, 'add', '--intent-to-add', FILE) // has more flags
  expect(isTracked(join(path, FILE))).toBe(true)
  git(path, 'commit', '-qam', 'all')
  git(path, 'worktree', 'add', '-q', '--no-checkout', join(path, '../', `wt-${version}${options.length}`))
  expect(isTracked(join(path, FILE))).toBe(true)
  git(path, 'rm', '-q', '--cached', FILE)
  expect(isTracked(join(path, FILE))).toBe(false)
  git(path, 'update-index', '--split-index')
  expect(isTracked(join(path, FILE))).toBe(true) // it cannot be told
})

test('a folder without git tracks nothing, and stays itself', () => {
  expect(isTracked(join(folder, 'none', FILE))).toBe(false)
  expect(mainFolder(folder)).toBe(folder)
})

test('a linked working tree leads to the main one, whatever the environment says', () => {
  const main = repository('main')
  git(main, 'add', '.')
  git(main, 'commit', '-qm', 'all')
  const linked = join(folder, 'linked')
  git(main, 'worktree', 'add', '-q', linked)
  process.env['GIT_DIR'] = '/nowhere'
  expect(mainFolder(join(linked, 'app'))).toBe(join(main, 'app'))
  expect(mainFolder(join(main, 'app'))).toBe(join(main, 'app'))
  delete process.env['GIT_DIR']
  symlinkSync(linked, join(folder, 'link'))
  expect(mainFolder(join(folder, 'link/app'))).toBe(join(main, 'app'))
})

test('of a bare repository, all working trees are one', () => {
  const main = repository('origin')
  git(main, 'add', '.')
  git(main, 'commit', '-qm', 'all')
  const bare = join(folder, 'bare.git')
  git(folder, 'clone', '-q', '--bare', main, bare)
  for (const name of ['one', 'two']) git(bare, 'worktree', 'add', '-q', '-b', name, join(folder, name))
  expect(mainFolder(join(folder, 'one'))).toBe(mainFolder(join(folder, 'two')))
})

test('a folder that only says that it is a working tree stays itself', () => {
  const main = repository('victim')
  git(main, 'add', '.')
  git(main, 'commit', '-qm', 'all')
  const linked = join(folder, 'true-tree')
  git(main, 'worktree', 'add', '-q', linked)
  const forged = join(folder, 'forged')
  mkdirSync(forged)
  const dotGit = join(forged, '.git')
  writeFileSync(dotGit, `gitdir: ${join(main, '.git/worktrees/true-tree')}\n`)
  expect(mainFolder(forged)).toBe(forged) // the repository knows another folder
  writeFileSync(dotGit, `gitdir: ${join(main, '.git')}\n`)
  expect(mainFolder(forged)).toBe(forged)
  const inside = join(forged, 'data/worktrees/x')
  mkdirSync(inside, { recursive: true })
  writeFileSync(join(inside, 'commondir'), `${join(main, '.git')}\n`)
  writeFileSync(join(inside, 'gitdir'), `${dotGit}\n`)
  writeFileSync(dotGit, `gitdir: ${inside}\n`)
  expect(mainFolder(forged)).toBe(forged) // its data is not in the repository
  expect(mainFolder(linked)).toBe(main)
})

test('a submodule stays itself', () => {
  const part = repository('part')
  git(part, 'add', '.')
  git(part, 'commit', '-qm', 'all')
  const whole = repository('whole')
  git(whole, 'submodule', 'add', '-q', part, 'part')
  expect(mainFolder(join(whole, 'part'))).toBe(join(whole, 'part'))
  expect(isTracked(join(whole, 'part', 'keyferry.json'))).toBe(true)
  expect(isTracked(join(whole, 'part', 'other'))).toBe(false)
})

test('what belongs to another user does not count', ({ skip }) => {
  if (process.getuid?.() !== 0) skip('only root can give a file away')
  const main = repository('given')
  git(main, 'add', '.')
  git(main, 'commit', '-qm', 'all')
  const linked = join(folder, 'given-tree')
  git(main, 'worktree', 'add', '-q', linked)
  execFileSync('chown', ['nobody', join(main, '.git/worktrees/given-tree/gitdir')])
  expect(mainFolder(linked)).toBe(linked)
})
