import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { decodeBase64 } from '@keyferry/crypto/base64'
import { endorsementFits } from '@keyferry/crypto/receipt'
import { canLookUpUsers } from '@keyferry/plumbing/socket-user'
import { isAtTerminal, isYes } from '../base/announce.ts'
import { type CliError, refusedError } from '../base/cli-error.ts'
import { writeOutputFile } from '../base/output-file.ts'
import type { Parts } from '../base/parts.ts'
import { printable } from '../base/printable.ts'
import { field, list, matching, nullable, object, orNull, parseObject, string } from '../base/shape.ts'
import { readEndpoint } from '../server/endpoint-call.ts'
import { isOnThisMachine } from '../server/server-address.ts'
import { makePrivateFolder, type StateParts, stateFolder } from '../state/state-folder.ts'

const FOLDER = 'receipt-keys'

/** A key that this client has seen sign for a server. Public. */
const PINNED_KEY = object({ kid: string, publicKey: string })
export type PinnedKey = ReturnType<typeof PINNED_KEY>

const PINNED = orNull(field('keys', list(orNull(PINNED_KEY))))

/** The keys that a server signed with so far; empty before its first receipt. */
export function pinnedKeys(server: string, parts: StateParts): readonly PinnedKey[] {
  let content: string
  try {
    content = readFileSync(fileOf(server, parts), 'utf8')
  } catch {
    return [] // no receipt of this server yet
  }
  return PINNED(parseObject(content))?.filter((key) => key !== null) ?? []
}

/** The public key of a server by its id. The client trusts the first key of a server, and a later key only if a known
 * key signed it. A server on this machine can be set up again at any time. So the client trusts its new key too if the
 * connection shows whose server it is, and otherwise asks the person at the terminal.
 * @returns 32 bytes · @throws CliError refused: the key changed · NoAnswer */
export async function keyOf(server: string, kid: string, parts: Parts): Promise<Uint8Array> {
  const pinned = pinnedKeys(server, parts)
  const known = pinned.find((key) => key.kid === kid)
  if (known !== undefined) return decodeBase64(known.publicKey)
  const offered = await readEndpoint({ server, exchange: parts.exchange }, 'listReceiptKeys', OFFERED)
  const key = offered.find((candidate) => candidate.kid === kid)
  const isBelieved = pinned.length === 0 || isKnownByItsUser(server, parts)
  if (key === undefined) throw changed(server, parts)
  if (!(isBelieved || isEndorsed(key, pinned) || isConfirmed(server, parts))) throw changed(server, parts)
  pin(server, [...pinned, { kid, publicKey: key.publicKey }], parts)
  return decodeBase64(key.publicKey)
}

/** Whether the client looks up whose server this is at each connection, so that it needs no pinned key. */
export function isKnownByItsUser(server: string, { platform }: StateParts): boolean {
  return isOnThisMachine(server) && canLookUpUsers(platform)
}

function isConfirmed(server: string, { keyboard, stderr }: Parts): boolean {
  if (!isOnThisMachine(server) || !isAtTerminal({ keyboard, stderr })) return false
  stderr.write(`${server} signs with another key than before. Another user of this machine may run it.\n`)
  return isYes(keyboard, 'Did you set up your server again? [y/N] ')
}

function isEndorsed({ publicKey, endorsedBy }: StoredReceiptKey, pinned: readonly PinnedKey[]): boolean {
  const older = pinned.find(({ kid }) => kid === endorsedBy?.kid)
  if (older === undefined || endorsedBy === null) return false
  const proof = { publicKey: decodeBase64(older.publicKey), signature: decodeBase64(endorsedBy.signature) }
  return endorsementFits(decodeBase64(publicKey), proof)
}

// Where nothing can be written, as in a container with a read-only home, each delivery is like the first.
function pin(server: string, keys: readonly PinnedKey[], parts: StateParts): void {
  const entries = keys.map(({ kid, publicKey }) => ({ kid, public_key: publicKey }))
  const text = `${JSON.stringify({ server, keys: entries })}\n`
  try {
    makePrivateFolder(stateFolder(parts, FOLDER))
    writeOutputFile({ path: fileOf(server, parts), mayReplace: true }, text)
  } catch {
    return
  }
}

function changed(server: string, parts: StateParts): CliError {
  return refusedError(
    `${server} signs with another key than before`,
    `Nothing was used. An attacker may be between you and the server. If the operator confirms that the server was set up again, delete ${printable(fileOf(server, parts), 300)} and run the command again.`,
  )
}

function fileOf(server: string, parts: StateParts): string {
  return join(stateFolder(parts, FOLDER), `${encodeURIComponent(new URL(server).host)}.json`)
}

/** A key with which a server signs receipts: base64 of 32 bytes. `endorsedBy`: the key before signed this one. */
const RECEIPT_KEY = object({
  kid: string,
  publicKey: matching(/^[A-Za-z0-9+/]{43}=$/),
  endorsedBy: nullable(object({ kid: string, signature: matching(/^[A-Za-z0-9+/]{86}==$/) })),
})
type StoredReceiptKey = ReturnType<typeof RECEIPT_KEY>
const OFFERED = {
  shape: field('keys', list(RECEIPT_KEY)),
  malformed: 'the server sent keys for receipts that this client does not know',
}
