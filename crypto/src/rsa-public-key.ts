import { createPublicKey } from 'node:crypto'

/** Whether a text is an RSA public key in PEM. */
export function isRsaPublicKey(text: string): boolean {
  try {
    return createPublicKey(text).asymmetricKeyType === 'rsa'
  } catch {
    return false
  }
}
