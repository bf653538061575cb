import { GET, PUT } from '../endpoint.ts'
import * as mail from './schemas.ts'

/** Mails that a person gets. */
export const mailEndpoints = {
  getOwnMails: GET('/api/v1/mails', 'session', {
    summary: 'Which mails the caller switched off',
    answer: mail.OwnMails,
  }),
  changeOwnMails: PUT('/api/v1/mails', 'session', {
    touch: 'gives_nothing',
    summary: 'Switch kinds of mails off or on',
    body: mail.ChangeMails,
    answer: mail.OwnMails,
  }),
  proveAddress: PUT('/api/v1/mails/address', 'session', {
    touch: 'gives_nothing',
    summary:
      "Prove that the caller reads their address, by the link of a mail; a local account's mails go there",
    body: mail.ProveAddress,
  }),
}
