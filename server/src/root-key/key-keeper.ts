import { spawnSync } from 'node:child_process'
import { realpathSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { z } from 'zod'
import { StartError } from '../start-error.ts'

const PREFIX = 'command:'
const ANSWER_BYTES = 4096
const TIMEOUT_MS = 10_000
const REASON_CHARACTERS = 300
const WRITABLE_BY_OTHERS = 0o022
const STICKY = 0o1000

const Answer = z.object({ data: z.base64() })

/** Keeps root keys where this process cannot copy them: what it wraps, only it unwraps. */
export interface KeyKeeper {
  /** `command:/usr/lib/keyferry/keeper-tpm` */
  readonly id: string
  /** @throws StartError: the keeper is unavailable or refuses */
  wrap(key: Uint8Array, context: string): Uint8Array
  /** @throws StartError: the keeper is unavailable or refuses */
  unwrap(wrapped: Uint8Array, context: string): Uint8Array
}

/** The program of an id `command:/PATH`. It starts once for each call, without arguments, a shell or an environment,
 * reads one JSON object and writes one.
 * @throws StartError: there is no such program, or others can change it */
export function keeperOf(id: string): KeyKeeper {
  const path = id.slice(PREFIX.length)
  requireOwn(id, path)
  const call = (name: 'wrap' | 'unwrap', data: Uint8Array, context: string) =>
    callKeeper(id, { call: name, context, data: Buffer.from(data).toString('base64') })
  return {
    id,
    wrap: (key, context) => call('wrap', key, context),
    unwrap: (wrapped, context) => call('unwrap', wrapped, context),
  }
}

// The program sees root keys, and so does everyone who can replace it or rename a folder above it.
function requireOwn(id: string, path: string): void {
  let place: string
  try {
    place = realpathSync(path)
  } catch (cause) {
    throw new StartError(`the keeper of the root key, ${id}, does not exist`, { cause })
  }
  for (let at = place; ; at = dirname(at)) {
    const { uid, mode } = statSync(at)
    const isOwn = uid === 0 || uid === process.getuid?.()
    const isClosed = (mode & WRITABLE_BY_OTHERS) === 0 || (at !== place && (mode & STICKY) !== 0)
    if (!isOwn || !isClosed)
      throw new StartError(`${at} can be changed by other users: a keeper of the root key must not be`)
    if (at === dirname(at)) return
  }
}

type KeeperCall = { call: 'wrap' | 'unwrap'; context: string; data: string }

function callKeeper(id: string, call: KeeperCall): Uint8Array {
  const { stdout, stderr, status, ...failed } = spawnSync(id.slice(PREFIX.length), [], {
    cwd: '/',
    env: {},
    input: `${JSON.stringify(call)}\n`,
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: ANSWER_BYTES,
    encoding: 'utf8',
  })
  // A program that ends without reading its call has said why.
  const error = codeOf(failed.error) === 'EPIPE' ? undefined : failed.error
  if (error !== undefined || status !== 0) throw unavailable(id, reasonOf(error, stderr, status))
  const answer = Answer.safeParse(parsed(stdout))
  if (!answer.success) throw unavailable(id, 'it did not answer with {"data": BASE64}')
  return Buffer.from(answer.data.data, 'base64')
}

function unavailable(id: string, reason: string): StartError {
  const advice = 'Running servers keep their keys; this one cannot start before the keeper answers.'
  return new StartError(`the keeper of the root key, ${id}, does not give it: ${reason}. ${advice}`)
}

function reasonOf(error: Error | undefined, stderr: string | null, status: number | null): string {
  const code = codeOf(error)
  if (code === 'ETIMEDOUT') return `no answer within ${TIMEOUT_MS / 1000} s`
  if (code === 'ENOBUFS') return `an answer over ${ANSWER_BYTES} bytes`
  if (code !== null) return code
  const said = (stderr ?? '').trim().replace(/\s+/g, ' ')
  return said === '' ? `exit code ${status}` : said.replace(/[^\x20-\x7e]/g, '?').slice(-REASON_CHARACTERS)
}

function codeOf(error: Error | undefined): string | null {
  return error !== undefined && 'code' in error ? String(error.code) : null
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
