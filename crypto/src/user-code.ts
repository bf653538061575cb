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
  const digest = hash('sha256', frame('keyferry user code v1', requestId, publicKey), 'hex')
  // 256 bits modulo 20^8 (under 35 bits) favours no code by more than one part in 2^221.
  return grouped(lettersOf(BigInt(`0x${digest}`) % BASE ** BigInt(LETTERS)))
}

/** What a person typed, as `userCode` writes it: case, blanks and dashes do not count. What is not a code comes back
 * as something that equals none. */
export function normalizeUserCode(text: string): string {
  return grouped(text.replaceAll(/[\s\p{Dash}]/gu, '').toUpperCase())
}

function lettersOf(number: bigint): string {
  let letters = ''
  for (let rest = number; letters.length < LETTERS; rest /= BASE)
    letters = ALPHABET.charAt(Number(rest % BASE)) + letters
  return letters
}

function grouped(letters: string): string {
  return `${letters.slice(0, LETTERS / 2)}-${letters.slice(LETTERS / 2)}`
}
