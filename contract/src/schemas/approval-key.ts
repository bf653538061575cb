import { z } from 'zod'
import { LIMITS } from '../limits.ts'
import { Actor, Flag, Id, object, requiredText, storable, Timestamp } from './text.ts'

/** Bytes as base64url without padding, as WebAuthn writes them in JSON. */
export const Bytes = (field: string) =>
  z
    .string({ error: `${field} required` })
    .max(LIMITS.passkeyFieldLength, `${field} is too long`)
    .regex(/^[\w-]+$/, `${field} must be base64url`)

export const CredentialId = Bytes('passkey.id').meta({ id: 'CredentialId' })

export const PublicKeyType = z.literal('public-key', { error: 'passkey.type must be public-key' })

/** What a browser answers when it made a passkey: a `RegistrationResponseJSON` of WebAuthn. */
export const NewPasskeyResponse = object('NewPasskeyResponse', {
  id: CredentialId,
  rawId: CredentialId,
  type: PublicKeyType,
  response: z.object({
    clientDataJSON: Bytes('clientDataJSON'),
    attestationObject: Bytes('attestationObject'),
  }),
})

export const KeyName = storable(
  z
    .string({ error: 'name required' })
    .trim()
    .min(1, 'name required')
    .max(LIMITS.passkeyNameLength, `name must be at most ${LIMITS.passkeyNameLength} characters`),
  'name',
)

/** A key that signs approvals in one workspace. `pending` waits for the server's operator or an owner, until `ends_at`.
 * `waiting`: `confirmed_by` confirmed it once. It counts when a second owner does, or the same person after
 * `counts_from`. `fingerprint`: 20 letters; null for another person's key that does not count yet. `works_here`: it
 * belongs to the address of this server. */
export const ApprovalKey = object('ApprovalKey', {
  id: Id,
  user_id: Id,
  username: z.string(),
  name: z.string(),
  synced: Flag('synced'),
  aaguid: z.string(),
  state: z.enum(['pending', 'waiting', 'active']),
  ends_at: Timestamp.nullable(),
  counts_from: Timestamp.nullable(),
  confirmed_by: z.string().nullable(),
  fingerprint: z.string().nullable(),
  works_here: z.boolean(),
  created_at: Timestamp,
  last_used_at: Timestamp.nullable(),
})

/** `address`: where signing keys work; null: not at the address of this server. */
export const ApprovalKeyList = object('ApprovalKeyList', {
  address: z.object({ origin: z.string(), rp_id: z.string() }).nullable(),
  keys: z.array(ApprovalKey),
})

/** What the browser makes a key with. `token` goes back with the new key. */
export const ApprovalKeyOptions = object('ApprovalKeyOptions', {
  token: z.string(),
  challenge: z.string(),
  rp_id: z.string(),
  user_handle: z.string(),
  exclude: z.array(z.string()),
})

export const AddApprovalKey = object('AddApprovalKey', {
  token: requiredText('token', 128, 'token required'),
  name: KeyName,
  passkey: NewPasskeyResponse,
  transports: z.array(Bytes('transports')).max(8).default([]),
})

/** `fingerprint`: its first eight letters, as the person who made the key reads them out. */
export const ConfirmApprovalKey = object('ConfirmApprovalKey', {
  fingerprint: requiredText('fingerprint', 40, 'fingerprint required'),
})

/** An act that gives access for good: it happens when another owner signs the same call, or when `person` signs it
 * again after `counts_from`. `act`: its name in the endpoint table. `concerns`: what was signed. */
const LastingAct = object('LastingAct', {
  id: Id,
  act: z.string(),
  person: Actor,
  concerns: z.record(z.string(), z.unknown()),
  created_at: Timestamp,
  counts_from: Timestamp,
})

export const LastingActList = z.array(LastingAct).meta({ id: 'LastingActList' })
