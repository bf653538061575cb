import { TIMES } from '@keyferry/contract'
import { digestOf } from '@keyferry/crypto/digest'
import {
  nonceOfTouchToken,
  type TouchLeaf,
  touchBodyDigest,
  touchChallenge,
  touchNonceMs,
} from '@keyferry/crypto/touch'
import { type TouchProof, verifyTouch } from '@keyferry/crypto/touch-signature'
import { type ClockAndIds, timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import { type EventStore, madeBy } from '../base/event.ts'
import { stampOf } from '../base/stamp.ts'
import type { ApprovalKey, ApprovalKeyStore } from './approval-key.ts'
import type { LastingActStore } from './lasting-act.ts'
import type { Caller } from './membership.ts'

/*
 * A call that needs a touch is refused with what to sign, and is repeated with the signature. The API writes the
 * statement anew each time from what it is about to do. If anything differs, the token does not fit. So nothing is
 * compared field by field, and nothing can be forgotten.
 */

/** `origin`: of our pages, from our own settings, never from a call. */
export type TouchAddress = { origin: string; rpId: string }

/** Makes and checks tokens with the root key, which the web-facing layer does not have. */
export interface TouchTokens {
  create(statementOf: (nonce: Uint8Array) => Uint8Array): TouchLeaf & { token: string }
  fit(token: string, statement: Uint8Array): boolean
}

export interface TouchUseStore {
  /** Note the first use of a nonce, durably. False: it was used before. */
  firstUse(nonceHash: string, now: string): Promise<boolean>
  /** Forget uses whose touch is too old to count. */
  forget(now: string): Promise<void>
}

export type TouchParts = {
  approvalKeys: ApprovalKeyStore
  lastingActs: LastingActStore
  touchUses: TouchUseStore
  events: EventStore
  tokens: TouchTokens
  /** Null: signing keys do not work at our address. */
  address: TouchAddress | null
  clock: ClockAndIds
  /** Counts a call that asks for a touch, for each person: before it costs more.
   * @throws DomainError too_many */
  takeTouch: (userId: string) => Promise<void>
}

/** A call as its statement names it. `act`: its row in the endpoint table. `concerns`: the facts that it is about. */
export type TouchedAct = {
  act: string
  method: string
  path: string
  body: Uint8Array
  concerns: Readonly<Record<string, unknown>>
}

/** What a key signed: its own statement, and the proof. `counter`: of the key, after this use. */
export type AcceptedTouch = TouchLeaf & { proof: TouchProof; key: ApprovalKey; counter: number }

/** Where the uses of touches and of keys are counted: outside of a transaction, or in that of the act. */
export type TouchCounts = {
  approvalKeys: Pick<ApprovalKeyStore, 'use'>
  touchUses: Pick<TouchUseStore, 'firstUse'>
}

/** @throws DomainError conflict */
export function requireAddress({ address }: Pick<TouchParts, 'address'>): TouchAddress {
  if (address === null)
    throw new DomainError('conflict', 'signing keys do not work at the address of this server')
  return address
}

/** Refuse a call without a touch of its caller over exactly this act. A touch counts once.
 * @param given the header of the call; undefined: none
 * @throws DomainError touch_required (with what to sign) · touch_refused · changed (what was signed is not what happens
 *   now) · conflict · too_many */
export async function requireTouch(
  parts: TouchParts,
  caller: Caller,
  { act, ...asked }: { act: TouchedAct } & Omit<ToSign, 'statementOf'>,
): Promise<AcceptedTouch> {
  const statementOf = (nonce: Uint8Array) => statementFor(caller, act, nonce)
  const touch = await checkTouch(parts, caller, { ...asked, statementOf })
  await spendTouch(parts, touch, timestamp(parts.clock))
  return touch
}

type ToSign = {
  statementOf: (nonce: Uint8Array) => Uint8Array
  given: string | undefined
  /** Only a key that is bound to its device counts. */
  isDevice?: boolean
}

/** As `requireTouch`, for an act whose own transaction counts the use, by `spendTouch`. */
export async function checkTouch(parts: TouchParts, caller: Caller, asked: ToSign): Promise<AcceptedTouch> {
  const { given } = asked
  requireAddress(parts)
  if (given === undefined) throw await touchRequired(parts, caller, asked)
  try {
    return await acceptTouch(parts, caller, { ...asked, given })
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'touch_refused') throw error
    const event = { ...madeBy(stampOf(caller, parts.clock)), action: 'touch.refused' } as const
    const target = { kind: 'user', id: caller.userId, name: null } as const
    await parts.events.record({ ...event, target, data: { reason: error.message } })
    throw error
  }
}

/** Count the use of a touch. Do it before anything else of the act.
 * @throws DomainError changed: it was used before · touch_refused */
export async function spendTouch(
  { approvalKeys, touchUses }: TouchCounts,
  { nonce, key, counter }: AcceptedTouch,
  now: string,
): Promise<void> {
  if (!(await touchUses.firstUse(digestOf(nonce), now))) throw changed()
  if (!(await approvalKeys.use(key, counter, now)))
    throw new DomainError('touch_refused', 'the counter of this key did not grow')
}

/** Spend the nonce of a token that was made for this statement.
 * @throws DomainError changed: the token is not for this statement, too old, or used */
export async function spendNonce(
  { tokens, touchUses, clock }: Pick<TouchParts, 'tokens' | 'touchUses' | 'clock'>,
  token: string,
  statementOf: (nonce: Uint8Array) => Uint8Array,
): Promise<Uint8Array> {
  const nonce = openNonce({ tokens, clock }, token, statementOf)
  if (!(await touchUses.firstUse(digestOf(nonce), timestamp(clock)))) throw changed()
  return nonce
}

function openNonce(
  { tokens, clock }: Pick<TouchParts, 'tokens' | 'clock'>,
  token: string,
  statementOf: (nonce: Uint8Array) => Uint8Array,
): Uint8Array {
  const nonce = nonceOfTouchToken(token)
  if (nonce === null || !tokens.fit(token, statementOf(nonce))) throw changed()
  const ageSeconds = (clock.now().getTime() - touchNonceMs(nonce)) / 1_000
  if (ageSeconds < -TIMES.touchEarlySeconds || ageSeconds > TIMES.touchSeconds) throw changed()
  return nonce
}

/** The own keys that count at the address of this server. */
async function activeKeysOf(
  { approvalKeys, address, clock }: Pick<TouchParts, 'approvalKeys' | 'address' | 'clock'>,
  { tenantId, userId }: Caller,
  isDevice: boolean,
): Promise<ApprovalKey[]> {
  const keys = await approvalKeys.list({ tenantId, userId }, timestamp(clock))
  const here = keys.filter(({ rpId, state }) => rpId === address?.rpId && state === 'active')
  return isDevice ? here.filter(({ isSynced }) => !isSynced) : here
}

async function acceptTouch(
  parts: TouchParts,
  caller: Caller,
  { given, statementOf, isDevice = false }: ToSign & { given: string },
): Promise<AcceptedTouch> {
  const { token, credentialId, proof } = partsOf(given)
  const nonce = openNonce(parts, token, statementOf)
  const keys = await activeKeysOf(parts, caller, isDevice)
  const key = keys.find((each) => each.credentialId === credentialId)
  if (!key) throw new DomainError('touch_refused', 'this key does not count here')
  const leaf = { nonce, statement: statementOf(nonce) }
  return { ...leaf, proof, key, counter: verified(proof, { key, leaf, ...requireAddress(parts) }) }
}

function verified(
  proof: TouchProof,
  { key, leaf, origin, rpId }: { key: ApprovalKey; leaf: TouchLeaf } & TouchAddress,
): number {
  const { publicKey, isSynced, counter } = key
  try {
    return verifyTouch(proof, {
      challenge: touchChallenge(leaf),
      origin,
      rpId,
      publicKey,
      isSynced,
      counter,
    })
  } catch (cause) {
    throw new DomainError('touch_refused', 'this signature is not valid for this act', { cause })
  }
}

async function touchRequired(
  { tokens, ...parts }: TouchParts,
  caller: Caller,
  { statementOf, isDevice = false }: ToSign,
): Promise<DomainError> {
  const { token, ...leaf } = tokens.create(statementOf)
  const keys = await activeKeysOf(parts, caller, isDevice)
  const details = {
    statement: Buffer.from(leaf.statement).toString('utf8'),
    token,
    challenge: Buffer.from(touchChallenge(leaf)).toString('base64url'),
    rp_id: parts.address?.rpId,
    keys: keys.map(({ credentialId: id, transports }) => ({ id, transports })),
  }
  const how = keys.length > 0 ? 'sign this with your signing key' : NO_KEY
  return new DomainError('touch_required', how, { details })
}

const NO_KEY = 'this has to be signed with a signing key, and you have none here: add one, or ask an owner'

function statementFor({ tenantId, userId }: Caller, { body, ...act }: TouchedAct, nonce: Uint8Array): Buffer {
  const { method, path, concerns } = act
  const place = { v: 1, act: act.act, tenant: tenantId, person: userId, method, path }
  return Buffer.from(JSON.stringify({ ...place, body_sha256: touchBodyDigest(nonce, body), concerns }))
}

const BASE64URL = /^[\w-]+$/

/** The header: the two parts of the token, then credential id, client data, authenticator data and signature. */
function partsOf(given: string): { token: string; credentialId: string; proof: TouchProof } {
  const parts = given.split('.')
  const [nonce, mac, credentialId = '', ...rest] = parts
  const [clientData, authenticatorData, signature] = rest.map((text) => Buffer.from(text, 'base64url'))
  const isWhole = parts.length === 6 && parts.every((part) => BASE64URL.test(part))
  if (!isWhole || !clientData || !authenticatorData || !signature)
    throw new DomainError('invalid', 'Keyferry-Touch is malformed')
  return { token: `${nonce}.${mac}`, credentialId, proof: { clientData, authenticatorData, signature } }
}

export function changed(): DomainError {
  return new DomainError('changed', 'what you signed is not what would happen now: look again and sign anew')
}
