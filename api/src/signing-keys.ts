import { signDepositKey } from '@keyferry/crypto/deposit'
import { signReceipt } from '@keyferry/crypto/receipt'
import type { ReceiptSigner } from './domain/approvals/receipt.ts'
import type { DepositKeySigner } from './http/handler-parts.ts'
import type { KnownReceiptKey } from './storage/keys-at-rest/receipt-keys.ts'

/** Signs receipts with the newest key. */
export function receiptSigner(keys: readonly KnownReceiptKey[], origin: string): ReceiptSigner {
  const newest = newestOf(keys)
  return {
    origin,
    sign: (payload) => ({
      kid: newest.kid,
      payload: Buffer.from(payload).toString('base64'),
      signature: Buffer.from(signReceipt(payload, newest)).toString('base64'),
    }),
  }
}

/** Signs the keys that clients seal deposits to, so that a client can check them. */
export function depositKeySigner(keys: readonly KnownReceiptKey[]): DepositKeySigner {
  const newest = newestOf(keys)
  return (publicKey) => ({ kid: newest.kid, signature: signDepositKey(publicKey, newest) })
}

function newestOf([newest]: readonly KnownReceiptKey[]): KnownReceiptKey {
  if (!newest) throw new Error('no key to sign receipts with')
  return newest
}
