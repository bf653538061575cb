import { readFileSync } from 'node:fs'
import { type CliError, generalError } from '../base/cli-error.ts'
import type { ProgramStart } from '../base/parts.ts'

const KIB = 1024
const POINTER_BYTES = 8
// MAX_ARG_STRLEN of Linux, with the final NUL.
const LINUX_STRING_BYTES = 128 * KIB
const MACOS_TOTAL_BYTES = 1024 * KIB
// Reserved for what the kernel adds.
const RESERVE_BYTES = 4 * KIB

/** @returns whether it needs more than half of the space, so that a system with other rules could refuse it
 * @throws CliError general: names each variable that is too large, or the sum */
export function requireFits({ argv, env }: ProgramStart, platform: NodeJS.Platform): boolean {
  const entries = Object.entries(env).map(([name, value]) => ({
    name,
    bytes: stringBytes(`${name}=${value}`),
  }))
  const tooLarge = entries.filter(({ bytes }) => platform === 'linux' && bytes > LINUX_STRING_BYTES)
  if (tooLarge.length > 0) throw tooLargeError(tooLarge)
  const all = [...entries.map(({ bytes }) => bytes), ...argv.map(stringBytes)]
  const total = all.reduce((sum, bytes) => sum + bytes + POINTER_BYTES, RESERVE_BYTES)
  const most = totalBytes(platform)
  if (total > most) throw sumError(total, most)
  return total > most / 2
}

function tooLargeError(tooLarge: readonly { name: string; bytes: number }[]): CliError {
  const named = tooLarge.map(({ name, bytes }) => `${name} (${Math.ceil(bytes / KIB)} KiB)`).join(', ')
  return generalError(
    `too large for an environment variable (128 KiB on this system): ${named}`,
    'Nothing was started. Use a file instead: keyferry pull --output FILE.',
  )
}

function sumError(total: number, most: number): CliError {
  return generalError(
    `environment and arguments need ${Math.ceil(total / KIB)} KiB; this system allows ${Math.floor(most / KIB)} KiB`,
    'Nothing was started. Request fewer variables (--keys), or use a file: keyferry pull --output FILE.',
  )
}

function stringBytes(text: string): number {
  return Buffer.byteLength(text) + 1
}

function totalBytes(platform: NodeJS.Platform): number {
  if (platform !== 'linux') return MACOS_TOTAL_BYTES
  const quarterOfStack = Math.floor(stackBytes() / 4)
  return Math.min(Math.max(quarterOfStack, 128 * KIB), 6 * KIB * KIB)
}

function stackBytes(): number {
  const usual = 8 * KIB * KIB
  try {
    const soft = /^Max stack size\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1]
    return soft === 'unlimited' ? Number.MAX_SAFE_INTEGER : Number(soft ?? usual)
  } catch {
    return usual
  }
}
