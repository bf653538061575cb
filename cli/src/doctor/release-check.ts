import { readFileSync } from 'node:fs'
import { digestOf } from '@keyferry/crypto/digest'
import { openSums, PUBLISHER_KEY, type SignedSums } from '@keyferry/crypto/signed-sums'
import { generalError, refusedError } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { VERSION } from '../base/version.ts'
import { type Server, send } from '../server/endpoint-call.ts'
import { doubtful, type Finding, good } from './finding.ts'

const LIST = 'SHA256SUMS'
const TIMEOUT_MS = 20_000
const MOST_BYTES = 64 * 1024

/** Which client this is; tests pass their own. */
export type OwnClient = {
  readonly publisherKey: string | null
  readonly version: string
  /** SHA-256 of the single executable that runs; null for the Node.js package. */
  readonly ownSum: () => string | null
}

const THIS_CLIENT: OwnClient = { publisherKey: PUBLISHER_KEY, version: VERSION, ownSum }

/** Check the signed list of the client's files that a server hands out.
 * @throws CliError network · refused: not signed by the publisher, expired, or older than this client
 * @throws CliError general: this client does not know the publisher's key */
export async function checkRelease(
  server: string,
  parts: Pick<Parts, 'exchange' | 'clock'>,
  own: OwnClient = THIS_CLIENT,
): Promise<readonly Finding[]> {
  if (own.publisherKey === null)
    throw generalError(
      'this client was built without the key of a publisher, so it cannot check a signature',
      'Install a released client, or compare checksums: docs/rebuild.md.',
    )
  const list = await signedList(server, parts, own.publisherKey)
  requireCurrent(list, own.version, parts.clock.epochMs())
  const until = `Keyferry ${list.version}, valid until ${list.expires}`
  return [good('signature', until), ownProgram(list, own), ...newerRelease(list, own.version, server)]
}

async function signedList(
  server: string,
  { exchange }: Pick<Parts, 'exchange'>,
  publisherKey: string,
): Promise<SignedSums> {
  const text = await fetched(LIST, { server, exchange })
  const signature = await fetched(`${LIST}.minisig`, { server, exchange })
  if (text === null || signature === null)
    throw refusedError(
      'this server has no signed list of the client’s files',
      'Its operator can install a signed release.',
    )
  try {
    return openSums(text, signature, publisherKey)
  } catch {
    throw refusedError('the publisher did not sign this list', 'Do not install a client from here.')
  }
}

async function fetched(name: string, at: Server): Promise<string | null> {
  const limits = { timeoutMs: TIMEOUT_MS, maxBodyBytes: MOST_BYTES }
  const { status, body } = await send(at, { method: 'GET', url: `${at.server}/client/${name}`, ...limits })
  return status === 200 ? body : null
}

function requireCurrent({ version, expires }: SignedSums, own: string, nowMs: number): void {
  const next = 'The operator of the server has to install a newer release.'
  if (new Date(nowMs).toISOString().slice(0, 10) > expires)
    throw refusedError(`the signed list of Keyferry ${version} expired on ${expires}`, next)
  if (isNewer(own, version))
    throw refusedError(`the server hands out Keyferry ${version}, older than this client (${own})`, next)
}

function ownProgram({ version, sums }: SignedSums, own: OwnClient): Finding {
  const about = 'this program'
  if (version !== own.version)
    return doubtful(about, 'not compared', `It is Keyferry ${own.version}, and the list is of ${version}.`)
  const sum = own.ownSum()
  if (sum === null)
    return doubtful(about, 'not compared', 'It is the Node.js package; compare its file: docs/rebuild.md.')
  const [name] = [...sums].find(([, listed]) => listed === sum) ?? []
  if (name === undefined)
    throw refusedError(
      'this program is not in the signed list',
      'Install it again, and find out who changed it.',
    )
  return good(about, `${name}, SHA-256 as in the list`)
}

function newerRelease({ version }: SignedSums, own: string, server: string): Finding[] {
  if (!isNewer(version, own)) return []
  return [doubtful('update', `Keyferry ${version} is there`, `Run: curl -fsS ${server}/install.sh | sh`)]
}

export function ownSum(): string | null {
  return process.versions['bun'] === undefined ? null : digestOf(readFileSync(process.execPath))
}

/** Whether a version is newer than another. What follows a hyphen does not count. */
export function isNewer(version: string, than: string): boolean {
  const [left, right] = [version, than].map((text) => (text.split('-')[0] ?? '').split('.').map(Number))
  const index = (left ?? []).findIndex((part, place) => part !== right?.[place])
  return index >= 0 && (left?.[index] ?? 0) > (right?.[index] ?? 0)
}
