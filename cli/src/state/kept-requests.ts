import { randomUUID } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keyPairFromSecretKey } from '@keyferry/crypto/key-pair'
import { userCode } from '@keyferry/crypto/user-code'
import { codeOf, generalError } from '../base/cli-error.ts'
import { tryFile, writeOutputFile } from '../base/output-file.ts'
import type { Clock, Parts } from '../base/parts.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { printable } from '../base/printable.ts'
import { list, number, object, orNull, parseObject, string } from '../base/shape.ts'
import { makePrivateFolder, type StateParts, stateFolder } from './state-folder.ts'

const FOLDER = 'requests'

/** Check that a request can be stored, before the client makes one.
 * @throws CliError general */
export function requireKeepable(parts: StateParts): void {
  const folder = stateFolder(parts, FOLDER)
  try {
    makePrivateFolder(folder)
    tryFile(join(folder, `tried-${randomUUID()}`))
  } catch (cause) {
    const code = codeOf(cause)
    throw generalError(
      `cannot store the request in ${printable(folder)}: ${code}`,
      'No request was made. Free space there, set XDG_STATE_HOME to another folder, or omit --resumable.',
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
    interval_ms: pending.intervalMs,
    lifetime_ms: pending.lifetimeMs,
    expires_at_ms: Math.round(parts.clock.epochMs() + leftMs),
    command_line: commandLine,
    cwd: parts.cwd,
  }
  makePrivateFolder(stateFolder(parts, FOLDER))
  writeFileSync(fileOf(pending.id, parts), JSON.stringify(fields), { mode: 0o600, flag: 'wx' })
}

/** Change until when a stored request is open, if it is stored. `deadlineMs`: a monotonic time. */
export function keepUntil(id: string, deadlineMs: number, parts: Pick<Parts, 'clock'> & StateParts): void {
  const file = fileOf(id, parts)
  if (!existsSync(file)) return
  const { clock } = parts
  const expires_at_ms = Math.round(clock.epochMs() + deadlineMs - clock.monotonicMs())
  const kept = parseObject(readFileSync(file, 'utf8'))
  try {
    writeOutputFile({ path: file, mayReplace: true }, JSON.stringify({ ...kept, expires_at_ms }))
  } catch {
    // It keeps the earlier time, and this command goes on waiting.
  }
}

/** Delete the file of a request, if there is one. */
export function forgetRequest(id: string, parts: StateParts): void {
  rmSync(fileOf(id, parts), { force: true })
}

/** The stored requests that are still open, newest first. Deletes files that are expired or unreadable. */
export function keptRequests(parts: StateParts, nowEpochMs: number): readonly KeptRequest[] {
  const requests: KeptRequest[] = []
  for (const file of filesIn(stateFolder(parts, FOLDER))) {
    const request = orNull(KEPT)(parseObject(readFileSync(join(stateFolder(parts, FOLDER), file), 'utf8')))
    if (request !== null && request.expiresAtMs > nowEpochMs) requests.push(request)
    else rmSync(join(stateFolder(parts, FOLDER), file), { force: true })
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

/** A request stored in a file, so that a later command can continue it. */
const KEPT = object({
  server: string,
  id: string,
  secretKey: string,
  verifier: string,
  /** The folder it was made in. */
  cwd: string,
  /** The command line that made it, from the command's name on. */
  commandLine: list(string),
  intervalMs: number,
  lifetimeMs: number,
  /** Wall-clock time in milliseconds since 1970. */
  expiresAtMs: number,
})
export type KeptRequest = ReturnType<typeof KEPT>

/** Continue a stored request. */
export function pendingOf({ secretKey, expiresAtMs, ...kept }: KeptRequest, clock: Clock): PendingRequest {
  const keyPair = keyPairFromSecretKey(Buffer.from(secretKey, 'base64url'))
  const approvalUrl = `${kept.server}/approve/${kept.id}`
  return {
    ...kept,
    keyPair,
    approvalUrl,
    shownUrl: approvalUrl,
    userCode: userCode(kept.id, keyPair.publicKey),
    deadlineMs: clock.monotonicMs() + (expiresAtMs - clock.epochMs()),
    remembered: null,
    whyNotRemembered: null,
    joins: false,
    epoch: null,
  }
}

function fileOf(id: string, parts: StateParts): string {
  return join(stateFolder(parts, FOLDER), `${id}.json`)
}
