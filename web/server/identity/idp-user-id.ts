import { hashToken } from '@keyferry/crypto/token'

/** The id that ensure-user knows a person by: from issuer and subject, never from the e-mail, which a provider may hand
 * to somebody else. A subject that already has the form stays as it is. A slash at the end of the issuer, which a setting
 * may leave out, makes no other issuer. */
export function idpUserId(issuer: string, subject: string): string {
  if (/^user_(?![0-9a-f]{64}$)[\x21-\x7e]{1,250}$/.test(subject)) return subject
  return `user_${hashToken(JSON.stringify([issuer.replace(/\/$/, ''), subject]))}`
}
