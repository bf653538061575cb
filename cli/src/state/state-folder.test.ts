import { mkdtempSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { makePrivateFolder } from './state-folder.ts'

test('the folder is made with those above it, and is its owner’s alone', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'keyferry-state-')), 'a/b')
  makePrivateFolder(folder)
  makePrivateFolder(folder)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
})

test('without a folder it fails, and does not retry forever', () => {
  expect(() => makePrivateFolder('/proc/keyferry/a')).toThrow(/ENOENT|EACCES|EPERM|EROFS/)
})
