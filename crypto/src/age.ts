import type { Encrypter } from 'age-encryption'
import { CryptoError } from './crypto-error.ts'

/** Encrypt a text to public keys of age, as an armored file that people open with age.
 * @param recipients as `age-keygen` prints them: `age1…`
 * @throws CryptoError bad_public_key: none, or not a public key of age */
export async function encryptToAge(plaintext: Uint8Array, recipients: readonly string[]): Promise<string> {
  if (recipients.length === 0)
    throw new CryptoError('bad_public_key', 'a kit needs at least one public key of age')
  // Loading it takes longer than the rest of a start, and only one command needs it.
  const age = await import('age-encryption')
  const encrypter = new age.Encrypter()
  for (const recipient of recipients) {
    await requireUsable(recipient, new age.Encrypter())
    encrypter.addRecipient(recipient)
  }
  return age.armor.encode(await encrypter.encrypt(plaintext))
}

// A key that is a point of low order is refused only when it encrypts.
async function requireUsable(recipient: string, encrypter: Encrypter): Promise<void> {
  try {
    encrypter.addRecipient(recipient)
    await encrypter.encrypt('')
  } catch (cause) {
    const message = `${JSON.stringify(recipient.slice(0, 80))} is no public key of age`
    throw new CryptoError('bad_public_key', message, { cause })
  }
}
