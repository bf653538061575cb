import { decryptBlob, encryptBlob, keyIdOfBlob } from './blob.ts'
import { CryptoError } from './crypto-error.ts'
import { derivationKey } from './derivation-key.ts'
import { frame } from './frame.ts'
import { type KeyPair, keyPairFromSecretKey, wipe } from './key-pair.ts'
import type { RootKey, RootKeyRing } from './root-key.ts'

const CONTEXT = frame('keyferry deposit key v1')

/** Encrypt the secret half of a deposit key under a root key. */
export function wrapDepositKey({ secretKey }: KeyPair, rootKey: RootKey): Uint8Array {
  return encryptBlob(secretKey, derivationKey(rootKey.bytes), CONTEXT)
}

/** @throws CryptoError bad_blob (malformed or changed) · wrong_key (its root key is not in the ring) */
export function unwrapDepositKey(blob: Uint8Array, ring: RootKeyRing): KeyPair {
  const rootKey = ring.find(keyIdOfBlob(blob))
  if (!rootKey) throw new CryptoError('wrong_key', 'deposit key was wrapped by a root key that is not in use')
  const secretKey = decryptBlob(blob, derivationKey(rootKey.bytes), CONTEXT)
  const pair = keyPairFromSecretKey(secretKey)
  wipe(secretKey)
  return pair
}
