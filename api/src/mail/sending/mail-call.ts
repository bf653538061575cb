import { isLoopback } from '@keyferry/plumbing/loopback'
import { z } from 'zod'
import type { MailOutcome } from '../domain/mail.ts'
import type { MailText } from '../domain/mail-text.ts'

/** A mail as it is handed to the server for mail. */
export type OutgoingMail = MailText & { id: string; to: string }

export type MailServer = { url: string; from: string; publicUrl: string }

const CONNECT_MS = 8_000
/** Servers look through a mail before they take it. */
const ANSWER_MS = 120_000
/** Of one mail, whatever the server does. */
export const CALL_MS = 150_000

/** How to reach the server. A mail can hold an invitation's token, so only a server on this machine gets it without
 * TLS. */
export function transportOf(url: string) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:'
  const host = hostname.replace(/^\[|\]$/g, '')
  const isHere = isLoopback(host)
  const user = decodeURIComponent(username)
  return {
    host,
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    requireTLS: !secure && !isHere,
    ignoreTLS: !secure && isHere,
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    socketTimeout: ANSWER_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(password) } }),
  }
}

const SmtpFailure = z.object({
  code: z.string().optional(),
  command: z.string().optional(),
  responseCode: z.number().optional(),
})

/** Sends mails, one connection each.
 * @param noteServer gets whether the server works: a receiver or a mail that it refuses is no failure of it */
export function mailCaller(
  { url, from, publicUrl }: MailServer,
  noteServer: (isFailing: boolean) => void,
  callMs = CALL_MS,
): (mail: OutgoingMail, signal: AbortSignal) => Promise<MailOutcome | null> {
  // Only a server that sends mails loads the library.
  const loading = import('nodemailer')
  const { hostname } = new URL(publicUrl)
  return async ({ id, to, subject, text, html }, ending) => {
    const { createTransport } = await loading
    const transport = createTransport(transportOf(url))
    let isHandedOver = false
    transport.use('stream', ({ message }, done) => {
      message.processFunc((stream) => stream.once('end', () => (isHandedOver = true)))
      done()
    })
    const headers = { 'Auto-Submitted': 'auto-generated' }
    const messageId = `<${id}@${hostname}>`
    const signal = AbortSignal.any([ending, AbortSignal.timeout(callMs)])
    const mail = { from, to: { name: '', address: to }, subject, text, html, messageId, headers, signal }
    const outcome = await transport.sendMail(mail).then(
      (): MailOutcome => ({ end: 'sent' }),
      (error: unknown) => failureOf(error, isHandedOver),
    )
    if (ending.aborted && outcome.end !== 'sent') return null
    noteServer(outcome.end === 'failed' && outcome.word !== 'deferred')
    return outcome
  }
}

function failureOf(error: unknown, isHandedOver: boolean): MailOutcome {
  const { code = 'unknown', command, responseCode = 0 } = SmtpFailure.safeParse(error).data ?? {}
  const isAnswer = responseCode > 0 && (command === 'RCPT TO' || command === 'DATA')
  if (isAnswer) return responseCode >= 500 ? { end: 'refused' } : { end: 'failed', word: 'deferred' }
  return isHandedOver ? { end: 'unclear' } : { end: 'failed', word: code.toLowerCase() }
}
