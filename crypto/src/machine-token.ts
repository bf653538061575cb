import { randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'

/*
 * A machine's token: `kfm_`, 43 digits of base 62 for 256 random bits, and 6 digits of base 62 for the CRC-32 of all
 * that comes before it, the prefix included. So a scanner finds tokens in any text and drops what only looks like one,
 * without asking the server.
 */

const PREFIX = 'kfm_'
const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE = BigInt(DIGITS.length)
const SECRET_DIGITS = 43
const CHECK_DIGITS = 6
const TOKEN = new RegExp(`^${PREFIX}[0-9A-Za-z]{${SECRET_DIGITS + CHECK_DIGITS}}$`)
const HINT_CHARACTERS = 4

/** A new token, 53 characters. */
export function makeMachineToken(): string {
  return withChecksum(PREFIX + inBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), SECRET_DIGITS))
}

/** Whether a text has the form of a token and its checksum. It says nothing about whether the token works. */
export function isMachineToken(text: string): boolean {
  return TOKEN.test(text) && withChecksum(text.slice(0, -CHECK_DIGITS)) === text
}

/** The end of a token, so that people can distinguish tokens. */
export function tokenHint(token: string): string {
  return token.slice(-HINT_CHARACTERS)
}

function withChecksum(text: string): string {
  return text + inBase62(BigInt(crc32(text)), CHECK_DIGITS)
}

// Most significant digit first, padded with zeros.
function inBase62(value: bigint, length: number): string {
  let digits = ''
  for (let rest = value; digits.length < length; rest /= BASE) digits = DIGITS[Number(rest % BASE)] + digits
  return digits
}
