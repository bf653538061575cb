import { z } from 'zod'
import { object } from '../schemas/text.ts'
import { OWN_MAILS } from './kinds.ts'

const Off = z
  .array(z.enum(OWN_MAILS, { error: 'off must be kinds of mails' }), { error: 'off must be a list' })
  .max(OWN_MAILS.length, `off must be at most ${OWN_MAILS.length}`)

/** `off`: the kinds that the person does not want. */
export const ChangeMails = object('ChangeMails', { off: Off }, { off: ['signed_in'] })

/** `sent`: whether this server sends mails. */
export const OwnMails = object('OwnMails', { sent: z.boolean(), off: Off })

/** `token`: of the link in the mail to the caller's address. */
export const ProveAddress = object(
  'ProveAddress',
  { token: z.string({ error: 'token is required' }).max(100, 'token must be at most 100 characters') },
  { token: 'X'.repeat(43) },
)
