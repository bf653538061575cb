import { decodeBase64 } from '@keyferry/crypto/base64'
import { CliError } from '../ground/cli-error.ts'
import { EXIT } from '../ground/exit-code.ts'
import type { Parts } from '../ground/parts.ts'
import type { PendingRequest } from '../ground/pending-request.ts'
import { keyOf, pinnedKeys } from '../receipt/pinned-keys.ts'
import { type Receipt, readReceipt, requireFits } from '../receipt/receipt.ts'
import { isLoopback } from '../server/loopback.ts'
import type { Delivery } from '../server/wait-answer.ts'
import { sentCommand } from './claims.ts'
import type { ValuesRequest } from './values-request.ts'

/** Check the receipt of a delivery before its box is opened.
 * @returns null if the server signs none, and never did · @throws CliError refused · NetworkError */
export async function checkReceipt(
  { receipt, ciphertextBase64 }: Delivery,
  { request, pending, parts }: { request: ValuesRequest; pending: PendingRequest; parts: Parts },
): Promise<Receipt | null> {
  if (receipt === null) {
    if (mustSign(request.server, parts)) throw missing(request.server)
    requireAssurance(null, request)
    return null
  }
  const read = readReceipt(receipt, await keyOf(request.server, receipt.kid, parts))
  requireFits(read, {
    requestId: pending.id,
    clientPublicKey: pending.keyPair.publicKey,
    box: decodeBase64(ciphertextBase64),
    argv: sentCommand(request.command),
  })
  requireAssurance(read, request)
  return read
}

function mustSign(server: string, parts: Parts): boolean {
  return !isLoopback(new URL(server).hostname) && pinnedKeys(server, parts).length > 0
}

function missing(server: string): CliError {
  return new CliError(
    EXIT.refused,
    `${server} signed its deliveries before, and this one is not signed`,
    'Nothing was used. An attacker may be between you and the server. Ask the operator of the server.',
  )
}

// A repeated approval was bound over loopback when it was given.
function requireAssurance(receipt: Receipt | null, { requiredAssurance }: ValuesRequest): void {
  if (requiredAssurance === null) return
  const isLocal = receipt !== null && (receipt.releasedBy === 'loopback' || receipt.isRepeated)
  const isBound = isLocal || receipt?.releasedBy === 'code'
  if (requiredAssurance === 'local' ? isLocal : isBound) return
  throw new CliError(
    EXIT.refused,
    `the approval did not return through this ${requiredAssurance === 'local' ? 'machine' : 'terminal'}, as --require-assurance ${requiredAssurance} asks`,
    'Nothing was started and the values were dropped. Start the command again and approve in the browser that it opens.',
  )
}
