import { type ReceiptTouch, type ReleaseWay, TouchField } from '@keyferry/contract'
import { touchChallenge } from '@keyferry/crypto/touch'
import { z } from 'zod'
import { DomainError } from '../base/errors.ts'
import type { DeliveredKey } from '../deliveries/delivery.ts'
import { type AcceptedTouch, checkTouch, type TouchParts } from '../people/touch.ts'
import { agentOf, type Hold, type Support } from '../requests/stored-request.ts'
import type { OpenCall } from './approval-grounds.ts'
import type { Grounds } from './approval-rules.ts'

/*
 * What a person signs who approves under a rule with `touch`: the request, what leaves, how it returns, who approved
 * before, and the rules. The statement is made of what was sealed just now. So a value, a name or a rule that changed
 * since the person was asked gives another statement, and the signature does not fit it.
 */

export type SigningParts = { touchParts: TouchParts }

/** What one kind of approval adds to the statement. */
export type StatementFacts = Readonly<Record<string, unknown>>

export type TouchOfReceipt = z.output<typeof ReceiptTouch>

type Signing = {
  act: string
  grounds: Grounds
  hold: Pick<Hold, 'by'> | null
  /** What the kind adds to the statement; made only where a rule asks for a signature. */
  facts: () => StatementFacts
  /** The header of the call. */
  given: string | undefined
}

/** The approver's touch of exactly this approval; null: the rules ask for none. The transaction of the approval spends
 * it.
 * @throws DomainError conflict (the first of two people signed nothing) · what `checkTouch` throws */
export async function signedApproval(
  { touchParts }: SigningParts,
  asking: OpenCall,
  signing: Signing,
): Promise<AcceptedTouch | null> {
  const { policy } = signing.grounds
  if (policy.touch === 'none') return null
  if (signing.given === undefined) await touchParts.takeTouch(asking.caller.userId)
  const statement = Buffer.from(JSON.stringify(statementOf(asking, signing)))
  const asked = { given: signing.given, statementOf: () => statement, isDevice: policy.touch === 'device' }
  return await checkTouch(touchParts, asking.caller, asked)
}

function statementOf({ caller, stored }: OpenCall, { act, grounds, hold, facts }: Signing) {
  const { first, vouch, policy } = grounds
  const { id, kind, publicKey, deviceKey, argv, argvMasked, cwd, use, requesterMeta } = stored.request
  const terminal = { client_pubkey: publicKey, terminal: deviceKey, argv, argv_masked: argvMasked, cwd, use }
  const claims = { reason: requesterMeta['reason'] ?? null, agent: agentOf(stored.request) }
  return {
    v: 1,
    act,
    tenant: caller.tenantId,
    person: caller.userId,
    ...facts(),
    request: { id, kind, ...terminal, ...claims },
    way: hold?.by ?? null,
    remember: null,
    first: first && { person: first.userId, touch: touchOf(first) },
    vouch: vouch && { id: vouch.id, person: vouch.userId },
    policy,
  }
}

// Setting the rule ends approvals that nobody signed.
function touchOf({ touches }: Pick<Support, 'touches'>): string {
  const [touch] = touches ?? []
  if (touch) return challengeOf(touch)
  throw new DomainError(
    'conflict',
    'The first person approved without a signature: deny the request and start again',
  )
}

function challengeOf({ nonce, statement }: TouchOfReceipt): string {
  const leaf = { nonce: Buffer.from(nonce, 'base64'), statement: Buffer.from(statement, 'base64') }
  return Buffer.from(touchChallenge(leaf)).toString('base64url')
}

/** The keys whose values leave, and the parts of composed values, with their versions; and the names that the approver
 * typed values for.
 * @throws DomainError conflict: a legacy item has no version to sign */
export function signedKeys(
  keys: readonly DeliveredKey[],
  { unversioned, typed = [] }: { unversioned: readonly string[]; typed?: readonly string[] },
): StatementFacts {
  if (unversioned.length > 0)
    throw new DomainError('conflict', `convert ${unversioned.join(', ')} into keys: they cannot be signed`)
  const sorted = keys.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  return {
    keys: sorted.flatMap(({ id, name, version, isPart }) => (isPart ? [] : [{ name, key_id: id, version }])),
    parts: sorted.flatMap(({ id, version, isPart }) => (isPart ? [{ key_id: id, version }] : [])),
    ...(typed.length === 0 ? {} : { typed: typed.toSorted() }),
  }
}

/** How a receipt carries a touch. */
export function signatureOf({ nonce, statement, proof, key }: AcceptedTouch): TouchOfReceipt {
  return {
    statement: base64(statement),
    nonce: base64(nonce),
    credential_id: key.credentialId,
    public_key: base64(key.publicKey),
    client_data: base64(proof.clientData),
    authenticator_data: base64(proof.authenticatorData),
    signature: base64(proof.signature),
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('base64')
}

const Signed = z.looseObject({ policy: z.looseObject({ touch: TouchField }) })

/** A touch of the same approval, which returns in another way.
 * @param signed what the approver signed before; undefined: nothing, so nothing is signed now */
export async function signedAgain(
  { touchParts }: SigningParts,
  { caller }: Pick<OpenCall, 'caller'>,
  {
    signed,
    way,
    ...asked
  }: { signed: TouchOfReceipt | undefined; way: ReleaseWay; given: string | undefined },
): Promise<AcceptedTouch | null> {
  if (signed === undefined) return null
  const before = Signed.parse(JSON.parse(Buffer.from(signed.statement, 'base64').toString('utf8')))
  const statement = Buffer.from(JSON.stringify({ ...before, act: 'createReleaseCode', way }))
  const isDevice = before.policy.touch === 'device'
  return await checkTouch(touchParts, caller, { ...asked, statementOf: () => statement, isDevice })
}
