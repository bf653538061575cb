import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openSums } from '@keyferry/crypto/signed-sums'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { CHECKSUMS, SIGNATURE, signChecksums, writeChecksums } from './checksums.ts'

const folder = mkdtempSync(join(tmpdir(), 'keyferry-signed-release-'))
const keyFile = join(folder, 'key')
execFileSync('minisign', ['-G', '-W', '-p', `${keyFile}.pub`, '-s', keyFile])
const publisherKey = readFileSync(`${keyFile}.pub`, 'utf8').split('\n')[1] ?? ''
const signing = { keyFile, publisherKey, version: '1.2.3', now: new Date('2030-01-31T00:00:00Z') }

afterAll(() => rmSync(folder, { recursive: true }))

beforeEach(() => {
  writeFileSync(join(folder, 'a'), 'alpha')
  writeChecksums(folder, ['a'])
})

const minisign = () =>
  spawnSync('minisign', ['-V', '-P', publisherKey, '-m', CHECKSUMS], { cwd: folder, encoding: 'utf8' })

test('minisign verifies the signed list, and names version and last day', () => {
  signChecksums(folder, signing)
  expect(minisign().stdout).toContain('Trusted comment: keyferry 1.2.3 expires 2031-02-01\n')
  const [list, signature] = [CHECKSUMS, SIGNATURE].map((name) => readFileSync(join(folder, name), 'utf8'))
  expect(openSums(list ?? '', signature ?? '', publisherKey)).toMatchObject({ version: '1.2.3' })
})

test('a swapped file and a flipped byte of the list do not pass', () => {
  signChecksums(folder, signing)
  writeFileSync(join(folder, 'a'), 'beta')
  expect(spawnSync('sha256sum', ['-c', CHECKSUMS], { cwd: folder }).status).toBe(1)
  writeFileSync(join(folder, CHECKSUMS), readFileSync(join(folder, CHECKSUMS), 'utf8').replace(/^./, 'x'))
  expect(minisign().status).not.toBe(0)
})

test('a new list has no signature of the older one', () => {
  signChecksums(folder, signing)
  writeChecksums(folder, ['a'])
  expect(existsSync(join(folder, SIGNATURE))).toBe(false)
})

test('a key that is not the publisher’s signs nothing', () => {
  expect(() => signChecksums(folder, { ...signing, publisherKey: null })).toThrow('has the key null')
  expect(existsSync(join(folder, SIGNATURE))).toBe(false)
})
