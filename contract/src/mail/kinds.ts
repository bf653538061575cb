/** Mails to people, who can switch them off. */
export const OWN_MAILS = ['waiting', 'key_expires', 'signed_in', 'remembered'] as const

export type OwnMail = (typeof OWN_MAILS)[number]

/** Mails that also go to an invited address, to an address that a person proves, or tell of a changed account. */
export type MailKind = OwnMail | 'invitation' | 'proof' | 'account'

const HOUR = 60 * 60

export const MAIL_LIMITS = {
  /** Invitations and links that prove an address, within a day: to one address, of one person to one address, of one
   * person, of one workspace. */
  toAddress: 5,
  ofInviterToAddress: 2,
  ofInviter: 50,
  ofWorkspace: 100,
  /** People who learn that a request waits. */
  deciders: 200,
} as const

/** In seconds. */
export const MAIL_TIMES = {
  /** Between two mails of one kind to one address. */
  apartSeconds: HOUR,
  triedSeconds: 24 * HOUR,
  /** How long a sent mail is remembered, for the limits. */
  keptSeconds: 48 * HOUR,
} as const
