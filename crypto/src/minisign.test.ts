import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { minisignPublicKey, openMinisign, parseMinisignKey, signMinisign } from './minisign.ts'

const folder = mkdtempSync(join(tmpdir(), 'keyferry-minisign-'))
const place = (name: string) => join(folder, name)
const minisign = (...words: string[]) => execFileSync('minisign', words, { cwd: folder, encoding: 'utf8' })

minisign('-G', '-W', '-p', 'key.pub', '-s', 'key')
const key = parseMinisignKey(readFileSync(place('key'), 'utf8'))
const publicKey = readFileSync(place('key.pub'), 'utf8').trim().split('\n')[1] ?? ''
const message = Buffer.from('abc  a\ndef  b\n')
const signed = signMinisign(message, key, 'keyferry 1.2.3')

test('minisign verifies what is signed here, with its comment', () => {
  writeFileSync(place('sums'), message)
  writeFileSync(place('sums.minisig'), signed)
  expect(minisign('-V', '-H', '-m', 'sums', '-P', minisignPublicKey(key))).toContain('keyferry 1.2.3')
})

test('what minisign signs is verified here', () => {
  writeFileSync(place('file'), message)
  minisign('-S', '-s', 'key', '-m', 'file', '-t', 'of minisign')
  expect(openMinisign(message, readFileSync(place('file.minisig'), 'utf8'), publicKey)).toBe('of minisign')
  expect(minisignPublicKey(key)).toBe(publicKey)
})

test('a flip of any byte of the file, the signature or the comment is refused, here and by minisign', () => {
  const flips = [
    { file: Buffer.concat([message, Buffer.from(' ')]), signature: signed },
    { file: message, signature: signed.replace('1.2.3', '1.2.4') },
    { file: message, signature: flipped(signed, 1) },
    { file: message, signature: flipped(signed, 3) },
  ]
  for (const { file, signature } of flips) {
    writeFileSync(place('flip'), file)
    writeFileSync(place('flip.minisig'), signature)
    expect(spawnSync('minisign', ['-V', '-m', 'flip', '-P', publicKey], { cwd: folder }).status).not.toBe(0)
    expect(openMinisign(file, signature, publicKey)).toBeNull()
  }
})

function flipped(signature: string, line: number): string {
  const lines = signature.split('\n')
  const bytes = Buffer.from(lines[line] ?? '', 'base64')
  bytes[40] = (bytes[40] ?? 0) ^ 1
  return lines.with(line, bytes.toString('base64')).join('\n')
}

test('another key did not sign it', () => {
  minisign('-G', '-W', '-p', 'other.pub', '-s', 'other')
  const other = parseMinisignKey(readFileSync(place('other'), 'utf8'))
  expect(openMinisign(message, signed, minisignPublicKey(other))).toBeNull()
  const sameId = minisignPublicKey({ ...other, id: key.id })
  expect(openMinisign(message, signed, sameId)).toBeNull()
})

test('what is no signature and no key is refused', () => {
  expect(() => openMinisign(message, 'abc', publicKey)).toThrow('not a signature')
  expect(() => openMinisign(message, signed.replace(/\nRU/, '\nRV'), publicKey)).toThrow('not a signature')
  expect(() => openMinisign(message, signed, 'abcd')).toThrow('not a signature')
  expect(() => parseMinisignKey('not a key')).toThrow('not base64')
  expect(() => parseMinisignKey(readFileSync(place('key.pub'), 'utf8'))).toThrow('without a password')
})
