import { hashToken } from '@keyferry/crypto/token'

/** The forms of ids that Keyferry makes: hashed subjects, local accounts, and the one user of local mode. */
const OWN_FORM = /^user_(?:[0-9a-f]{64}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|local)$/i

const PROVIDER_FORM = /^user_[\x21-\x7e]{1,250}$/

/** Whether an OpenID Connect provider may name a person so: 1 to 255 printable characters. */
export function isValidSubject(subject: string): boolean {
  return /^[^\p{C}\p{Zl}\p{Zp}]{1,255}$/u.test(subject) && subject.trim() === subject
}

/** Whether a provider's subject can serve as the id unchanged: its form is right, and Keyferry never generates it. */
export function isUsableSubject(subject: string): boolean {
  return PROVIDER_FORM.test(subject) && !OWN_FORM.test(subject)
}

/** The id that ensure-user knows a person by. It follows from issuer and subject, never from the e-mail, because a
 * provider may give an e-mail address to another person. A usable subject stays as it is. A trailing slash of the
 * issuer is ignored, because the setting may omit it. */
export function idpUserId(issuer: string, subject: string): string {
  if (isUsableSubject(subject)) return subject
  return `user_${hashToken(JSON.stringify([issuer.replace(/\/$/, ''), subject]))}`
}
