import { isLoopback } from '@keyferry/plumbing/loopback'
import type { Logger } from 'pino'
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

/** How to reach the server. A mail can contain an invitation's token, so only a server on this machine gets it without
 * TLS. On port 465, servers begin with TLS and ignore everything else. */
export function transportOf({ url, publicUrl }: Pick<MailServer, 'url' | 'publicUrl'>) {
  const { protocol, hostname, port, username, password } = new URL(url)
  const secure = protocol === 'smtps:' || port === '465'
  const host = hostname.replace(/^\[|\]$/g, '')
  const isHere = isLoopback(host)
  const user = decodeURIComponent(username)
  return {
    // By default a container would introduce itself as [127.0.0.1], which strict servers refuse.
    name: new URL(publicUrl).hostname,
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
  message: z.string(),
  // The codes of other errors are numbers.
  code: z.string().optional().catch(undefined),
  command: z.string().optional(),
  response: z.string().optional(),
  responseCode: z.number().optional(),
})

type SmtpFailure = z.infer<typeof SmtpFailure>

type MailCallParts = {
  /** Gets whether the server works: a receiver or a mail that it refuses is no failure of it. */
  noteServer: (isFailing: boolean) => void
  log: Pick<Logger, 'warn'>
}

/** Sends mails, one connection each. */
export function mailCaller(
  server: MailServer,
  { noteServer, log }: MailCallParts,
  callMs = CALL_MS,
): (mail: OutgoingMail, signal: AbortSignal) => Promise<MailOutcome | null> {
  // Only a server that sends mails loads the library.
  const loading = import('nodemailer')
  const { from } = server
  return async ({ id, to, subject, text, html }, ending) => {
    const { createTransport } = await loading
    const options = transportOf(server)
    const transport = createTransport(options)
    let isHandedOver = false
    transport.use('stream', ({ message }, done) => {
      message.processFunc((stream) => stream.once('end', () => (isHandedOver = true)))
      done()
    })
    const headers = { 'Auto-Submitted': 'auto-generated' }
    const messageId = `<${id}@${options.name}>`
    const signal = AbortSignal.any([ending, AbortSignal.timeout(callMs)])
    const mail = { from, to: { name: '', address: to }, subject, text, html, messageId, headers, signal }
    const failure = await transport.sendMail(mail).then(
      () => null,
      (error: unknown) => SmtpFailure.parse(error),
    )
    if (ending.aborted && failure !== null) return null
    const outcome = failure === null ? SENT : failureOf(failure, isHandedOver)
    if (failure !== null) log.warn({ mail: id, end: outcome.end, ...reasonOf(failure) }, 'mail not sent')
    noteServer(outcome.end === 'failed' && outcome.word !== 'deferred')
    return outcome
  }
}

const SENT: MailOutcome = { end: 'sent' }

function failureOf(failure: SmtpFailure, isHandedOver: boolean): MailOutcome {
  const { code = 'unknown', command, responseCode = 0 } = failure
  const isAnswer = responseCode > 0 && (command === 'RCPT TO' || command === 'DATA')
  if (isAnswer) return responseCode >= 500 ? { end: 'refused' } : { end: 'failed', word: 'deferred' }
  return isHandedOver ? { end: 'unclear' } : { end: 'failed', word: code.toLowerCase() }
}

/** For the log: only the codes of an answer, because its text may name the receiver. */
function reasonOf({ message, code, command, response }: SmtpFailure) {
  const answer = /^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response ?? '')?.[0]
  const isOurs = answer === undefined && (command === undefined || command === 'CONN')
  return { code, command, ...(isOurs ? { error: message } : { answer }) }
}
