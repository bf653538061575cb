import { hash } from 'node:crypto'
import { frame } from './frame.ts'

// No vowels, so that no code spells a word, and no two letters that are read for one another (RFC 8628, 6.1).
const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ'
const BASE = BigInt(ALPHABET.length)
const LETTERS = 8

/** The short code that a person compares between terminal and page. Each side works it out for itself from what it
 * knows, so that a server that swapped the public key shows a different one.
 * @param publicKey the client's 32 bytes, as sent
 * @returns `XXXX-XXXX` */
export function userCode(requestId: string, publicKey: Uint8Array): string {
  return lettersOf(frame('keyferry user code v1', requestId, publicKey), LETTERS)
}

/** Letters that stand for the SHA-256 of some bytes, in groups of four.
 * @param count up to 20: 256 bits modulo 20^20 (under 87 bits) favour no text by more than one part in 2^169 */
export function lettersOf(bytes: Uint8Array, count: number): string {
  let letters = ''
  for (let rest = BigInt(`0x${hash('sha256', bytes, 'hex')}`); letters.length < count; rest /= BASE)
    letters = ALPHABET.charAt(Number(rest % BASE)) + letters
  return grouped(letters)
}

/** What a person typed, as `userCode` writes it: case, blanks and dashes do not count. What is not a code comes back
 * as something that equals none. */
export function normalizeUserCode(text: string): string {
  return grouped(text.replaceAll(/[\s\p{Dash}]/gu, '').toUpperCase())
}

function grouped(letters: string): string {
  return (letters.match(/.{1,4}/g) ?? []).join('-')
}
