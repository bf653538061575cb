import { z } from 'zod'
import { object, Timestamp } from './text.ts'

/** What a person signed with a signing key. `public_key` (COSE) is the person's according to the server. Everything
 * but `credential_id` (base64url) is base64. */
export const ReceiptTouch = object('ReceiptTouch', {
  statement: z.base64(),
  nonce: z.base64(),
  credential_id: z.string(),
  public_key: z.base64(),
  client_data: z.base64(),
  authenticator_data: z.base64(),
  signature: z.base64(),
})

/** What the server signed: `payload` is base64 of the exact bytes, JSON as in docs/cryptography.md. `signature` is
 * Ed25519 over the frame of `keyferry receipt v1` and these bytes. `touches`: of everyone who approved, where the rules
 * ask for it; of two people, the second one signed the first touch too. */
export const Receipt = object('Receipt', {
  kid: z.string(),
  payload: z.base64(),
  signature: z.base64(),
  touches: z.array(ReceiptTouch).optional(),
})

/** The keys that sign receipts, the newest first. `public_key`: base64 of 32 bytes. `endorsed_by`: the key before
 * signed this one, over the frame of `keyferry receipt key v1` and the new public key. */
export const ReceiptKeys = object('ReceiptKeys', {
  keys: z.array(
    object('ReceiptKey', {
      kid: z.string(),
      public_key: z.base64(),
      created_at: Timestamp,
      endorsed_by: z.object({ kid: z.string(), signature: z.base64() }).nullable(),
    }),
  ),
})
