import { LIMITS } from '@keyferry/contract/limits'
import { decodeBase64 } from '@keyferry/crypto/base64'
import {
  type DepositContent as BoundContent,
  depositBinding,
  depositKeyFits,
  depositKeyId,
} from '@keyferry/crypto/deposit'
import { pollChallenge } from '@keyferry/crypto/poll-challenge'
import { portableSeal } from '@keyferry/crypto/portable-seal'
import { generalError, refusedAnswer } from '../base/cli-error.ts'
import type { Parts } from '../base/parts.ts'
import { object, type Shape, string } from '../base/shape.ts'
import type { Version } from '../delivery/values-request.ts'
import { keyOf } from '../receipt/pinned-keys.ts'
import { readEndpoint } from '../server/endpoint-call.ts'

/** How to treat variables that other bundles have too, by name. */
export type Choices = Pick<BoundContent, 'own' | 'share' | 'replace'>

/** What is stored. */
export type DepositDraft = Pick<BoundContent, 'bundle' | 'workspace' | 'detach'> &
  Choices & {
    readonly seen?: readonly Version[]
    readonly entries: DraftEntries
    /** What goes to other bundles. */
    readonly also: readonly { readonly bundle: string; readonly entries: DraftEntries }[]
  }

type DraftEntries = readonly (BoundContent['entries'][number] & { readonly value: string })[]

/** Seal the values to the key of the API. Names and choices stay readable, because the approver sees them; a digest of
 * them is in the box, so a box cannot be moved to other names.
 * @returns `deposit`: for the body of the request
 * @throws CliError general: more than the server takes in one step */
export function sealDeposit(
  content: DepositDraft,
  { key, publicKey, verifier }: { key: ServerDepositKey; publicKey: Uint8Array; verifier: string },
) {
  const { entries, detach, own, share, replace, seen, also } = content
  const { kid } = key
  const binding = depositBinding({ ...content, kid, publicKey, pollChallenge: pollChallenge(verifier) })
  const values = [content, ...also].flatMap((each) => each.entries.map(({ value }) => value))
  const plaintext = Buffer.from(JSON.stringify({ v: 1, binding, values, seen }))
  requireFits(values.length + detach.length, plaintext.length)
  const box = portableSeal(plaintext, key.publicKey)
  plaintext.fill(0)
  const others = also.map((other) => ({ bundle: other.bundle, entries: namedEntries(other.entries) }))
  const ciphertext_base64 = Buffer.from(box).toString('base64')
  return {
    deposit: {
      kid,
      entries: namedEntries(entries),
      detach,
      own,
      share,
      replace,
      ...(others.length === 0 ? {} : { also: others }),
      ciphertext_base64,
    },
    binding,
    box,
  }
}

function namedEntries(entries: DraftEntries) {
  return entries.map(({ name, isSecret }) => (isSecret === null ? { name } : { name, is_secret: isSecret }))
}

function requireFits(count: number, bytes: number): void {
  if (count <= LIMITS.depositEntries && bytes <= LIMITS.depositBytes) return
  throw generalError(
    `${count} variables with ${Math.ceil(bytes / 1024)} KiB are more than one approval can store`,
    `Nothing was stored. Import less at a time: at most ${LIMITS.depositEntries} variables and ${LIMITS.depositBytes / 1024} KiB at a time.`,
  )
}

/** The key that this server opens deposits with. */
type ServerDepositKey = { readonly kid: string; readonly publicKey: Uint8Array }

/** Get the key that values are sealed to. It must be signed by the key that signs this server's receipts, which is
 * pinned, so a layer between this client and the API cannot offer its own key.
 * @throws CliError refused · NoAnswer */
export async function fetchDepositKey(server: string, parts: Parts): Promise<ServerDepositKey> {
  const at = { server, exchange: parts.exchange }
  const {
    kid,
    publicKey,
    signedBy: signed,
  } = await readEndpoint(at, 'getDepositKey', { shape: KEY, malformed })
  const receiptKey = await keyOf(server, signed.kid, parts)
  if (
    depositKeyId(publicKey) === kid &&
    depositKeyFits(publicKey, { publicKey: receiptKey, signature: signed.signature })
  )
    return { kid, publicKey }
  throw refusedAnswer('the deposit key is not signed by the key of this server')
}

const malformed = 'the server sent a deposit key that this client does not know'

const bytes: Shape<Uint8Array> = (value) => {
  const base64 = string(value)
  try {
    return decodeBase64(base64)
  } catch {
    throw refusedAnswer(malformed)
  }
}

const KEY = object({ kid: string, publicKey: bytes, signedBy: object({ kid: string, signature: bytes }) })
