import { chmodSync, chownSync, mkdirSync, mkdtempSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makePrivateFolder, runtimeFolder } from './state-folder.ts'

const NOBODY = 65_534

test('the folder is made with those above it, and is its owner’s alone', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'keyferry-state-')), 'a/b')
  makePrivateFolder(folder)
  makePrivateFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('without a folder it fails, and does not retry forever', () => {
  expect(() => makePrivateFolder('/proc/keyferry/a')).toThrow(/ENOENT|EACCES|EPERM|EROFS/)
})

test('a planted link is refused, and the mode of what it points to stays', () => {
  const base = mkdtempSync(join(tmpdir(), 'keyferry-runtime-'))
  const target = join(base, 'target')
  mkdirSync(target)
  chmodSync(target, 0o755)
  symlinkSync(target, join(base, 'keyferry'))
  const parts = { env: { XDG_RUNTIME_DIR: base }, platform: process.platform }
  expect(() => runtimeFolder(parts)).toThrow('belongs to another user')
  expect(statSync(target).mode & 0o777).toBe(0o755)
})

test('behind a link, and in a folder of another user, the mode stays', ({ skip }) => {
  const base = mkdtempSync(join(tmpdir(), 'keyferry-state-'))
  const [target, link] = [join(base, 'target'), join(base, 'link')]
  mkdirSync(target)
  chmodSync(target, 0o755)
  symlinkSync(target, link)
  makePrivateFolder(link)
  expect(statSync(target).mode & 0o777).toBe(0o755)
  if (process.getuid?.() !== 0) skip('only root can make a folder of another user')
  chownSync(target, NOBODY, NOBODY)
  makePrivateFolder(target)
  expect(statSync(target)).toMatchObject({ uid: NOBODY, mode: 0o40755 })
})
