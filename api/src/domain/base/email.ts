import { domainToASCII } from 'node:url'

/** The form of an e-mail address that is compared: the domain as DNS has it, and A to Z of the mailbox in lower case.
 * Nothing else is folded or normalised, because that would make different mailboxes equal (the Kelvin sign becomes
 * `k`). */
export function emailKey(email: string): string {
  const at = email.lastIndexOf('@')
  const domain = email.slice(at + 1)
  const mailbox = email.slice(0, at + 1)
  return asciiLowerCase(mailbox) + (domainToASCII(domain) || asciiLowerCase(domain))
}

/** An address as other people see it: null until it is verified, because a person can type any address at many
 * identity providers. */
export function emailForOthers(email: string, isVerified: boolean): string | null {
  return isVerified ? email : null
}

function asciiLowerCase(text: string): string {
  return text.replace(/[A-Z]/g, (letter) => letter.toLowerCase())
}
