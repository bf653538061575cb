import { accessSync, constants, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyPairFromSecretKey } from '@keyferry/crypto/key-pair'
import { userCode } from '@keyferry/crypto/user-code'
import { codeOf, generalError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { printable } from '../base/printable.ts'
import { list, number, object, orNull, parseObject, string, truth } from '../base/shape.ts'
import { makePrivateFolder, type StateParts, stateFolder } from './state-folder.ts'

/** A request stored in a file, so that a later command can continue it. */
export type KeptRequest = {
  readonly id: string
  readonly server: string
  /** The command line that made it, from the command's name on. */
  readonly commandLine: readonly string[]
  /** The folder it was made in. */
  readonly cwd: string
  /** Wall-clock time in milliseconds since 1970. */
  readonly expiresAtMs: number
  readonly pending: (nowEpochMs: number, nowMonotonicMs: number) => PendingRequest
}

/** Check that a request can be stored, before the client makes one.
 * @throws CliError general */
export function requireKeepable(parts: StateParts): void {
  const folder = requestFolder(parts)
  try {
    makePrivateFolder(folder)
    accessSync(folder, constants.W_OK)
  } catch (cause) {
    const code = codeOf(cause)
    throw generalError(
      `cannot store the request in ${printable(folder)}: ${code}`,
      'No request was made. Omit --resumable, or set XDG_STATE_HOME to a folder that you can write to.',
      cause,
    )
  }
}

/** Store a request in a file that only its owner can read. */
export function keepRequest(pending: PendingRequest, commandLine: readonly string[], parts: Parts): void {
  const leftMs = pending.deadlineMs - parts.clock.monotonicMs()
  const fields = {
    server: pending.server,
    id: pending.id,
    secret_key: Buffer.from(pending.keyPair.secretKey).toString('base64url'),
    verifier: pending.verifier,
    is_code_typed: pending.isCodeTyped,
    interval_ms: pending.intervalMs,
    lifetime_ms: pending.lifetimeMs,
    expires_at_ms: Math.round(parts.clock.epochMs() + leftMs),
    command_line: commandLine,
    cwd: parts.cwd,
  }
  makePrivateFolder(requestFolder(parts))
  writeFileSync(fileOf(pending.id, parts), JSON.stringify(fields), { mode: 0o600, flag: 'wx' })
}

/** Delete the file of a request, if there is one. */
export function forgetRequest(id: string, parts: StateParts): void {
  rmSync(fileOf(id, parts), { force: true })
}

/** The stored requests that are still open, newest first. Deletes files that are expired or unreadable. */
export function keptRequests(parts: StateParts, nowEpochMs: number): readonly KeptRequest[] {
  const requests: KeptRequest[] = []
  for (const file of filesIn(requestFolder(parts))) {
    const request = readKept(join(requestFolder(parts), file))
    if (request !== null && request.expiresAtMs > nowEpochMs) requests.push(request)
    else rmSync(join(requestFolder(parts), file), { force: true })
  }
  return requests.toSorted((a, b) => b.expiresAtMs - a.expiresAtMs)
}

function filesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return [] // the folder does not exist
  }
}

const KEPT = object({
  server: string,
  id: string,
  secret_key: string,
  verifier: string,
  cwd: string,
  command_line: list(string),
  interval_ms: number,
  lifetime_ms: number,
  expires_at_ms: number,
  is_code_typed: orNull(truth),
})

function readKept(path: string): KeptRequest | null {
  const kept = orNull(KEPT)(parseObject(readFileSync(path, 'utf8')))
  if (kept === null) return null
  const { id, server, verifier, cwd, command_line: commandLine, expires_at_ms: expiresAtMs } = kept
  return {
    id,
    server,
    commandLine,
    cwd,
    expiresAtMs,
    pending: (nowEpochMs, nowMonotonicMs) => {
      const keyPair = keyPairFromSecretKey(Buffer.from(kept.secret_key, 'base64url'))
      return {
        id,
        server,
        verifier,
        keyPair,
        approvalUrl: `${server}/approve/${id}`,
        userCode: userCode(id, keyPair.publicKey),
        isCodeTyped: kept.is_code_typed === true,
        intervalMs: kept.interval_ms,
        lifetimeMs: kept.lifetime_ms,
        deadlineMs: nowMonotonicMs + (expiresAtMs - nowEpochMs),
        remembered: null,
        whyNotRemembered: null,
        joins: false,
      }
    },
  }
}

function requestFolder(parts: StateParts): string {
  return join(stateFolder(parts), 'requests')
}

function fileOf(id: string, parts: StateParts): string {
  return join(requestFolder(parts), `${id}.json`)
}
