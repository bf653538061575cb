import { hashToken } from '@keyferry/crypto/token'

/** The id that ensure-user knows a person by: from issuer and subject, never from the e-mail, which a provider may hand
 * to somebody else. A subject that already has the form stays as it is. */
export function idpUserId(issuer: string, subject: string): string {
  return /^user_[\x21-\x7e]{1,250}$/.test(subject)
    ? subject
    : `user_${hashToken(JSON.stringify([issuer, subject]))}`
}
