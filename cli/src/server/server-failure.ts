import { CliError, EXIT, refusedAnswer, refusedError } from '../base/cli-error.ts'
import type { ExchangeAnswer, NetworkError } from '../base/exchange.ts'
import { printable } from '../base/printable.ts'
import { isObject, object, or, parseObject, string, where } from '../base/shape.ts'

/** There is no complete answer of a server. */
export class NoAnswer extends CliError {
  /** Without the address of the server. */
  readonly reason: string
  /** Whether a later attempt can succeed. */
  readonly isPassing: boolean

  constructor(error: NetworkError, server: string) {
    const { exitCode, message, next } = failure(error, server)
    super(exitCode, message, next)
    this.reason = error.message
    this.isPassing = error.isPassing
  }
}

function failure(error: NetworkError, server: string): CliError {
  if (error.reason === 'ETOOLONG') return refusedAnswer(error.message)
  if (error.reason !== 'EOTHERUSER') {
    const what = `no answer from ${server}: ${printable(error.message)}`
    return new CliError(EXIT.network, what, nextStep(error, server))
  }
  return refusedError(
    `${server} was not used: ${error.message}`,
    'Nothing was sent. Start your own server, on another port if this one is taken. For a server that others run for you, use its https address.',
  )
}

function nextStep({ reason }: NetworkError, server: string): string {
  if (reason === 'ECONNREFUSED') {
    return `Start the server, or set another one with --server or KEYFERRY_SERVER (now ${server}).`
  }
  if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN') return 'Check the host name and the network.'
  if (/CERT|SIGNATURE|ALTNAME|ISSUER/.test(reason)) {
    return 'If the server uses a private certificate authority, set NODE_EXTRA_CA_CERTS or SSL_CERT_FILE to its certificate.'
  }
  return 'Check the address and the network (proxies: HTTPS_PROXY, NO_PROXY), then try again.'
}

/** The error for an answer that refuses. */
export function refusal(answer: ExchangeAnswer, server: string): CliError {
  if (answer.status >= 300 && answer.status < 400) {
    const target = printable(answer.location ?? 'nowhere')
    return refusedAnswer(`the server redirects to ${target}; keyferry does not follow redirects`)
  }
  const page = answer.status < 300 ? notKeyferry(answer, server) : null
  if (page !== null) return page
  const { error } = errorBody(answer)
  const reason =
    error === ''
      ? `status ${answer.status}`
      : `${printable(error.replace(/^Forbidden: /, ''))} (${answer.status})`
  return refusedError(`${server} refused: ${reason}`, afterStatus(answer, server))
}

/** The error for a page where an answer is expected; null: it is none. */
export function notKeyferry({ body }: ExchangeAnswer, server: string): CliError | null {
  if (!/^\s*<(?:!doctype|html|\?xml)/i.test(body)) return null
  return refusedError(
    `${server} is not a Keyferry server: it answered with a web page`,
    'Check the server address. Some networks answer every request with a page where you sign in to the network.',
  )
}

function afterStatus({ status, retryAfterMs }: ExchangeAnswer, server: string): string {
  if (status === 401)
    return `The client cannot sign in here. Use the web page: ${server}/bundles, or ${server}/bundles/import to import.`
  if (status === 403) return 'Ask an owner of the workspace to do this, or to give you the owner role.'
  if (status === 429) return `Wait ${Math.ceil((retryAfterMs ?? 60_000) / 1000)} s, then try again.`
  if (status === 404) return 'Check the server address and the version of the server.'
  if (status >= 500) return "Try again. If it happens again, check the server's log."
  return 'Fix what the message says, then try again.'
}

const NONE: Record<string, unknown> = {}
const ERROR = object({ error: or(string, ''), code: or(string, ''), details: or(where(isObject), NONE) })

/** What an error body says; empty where it says nothing. */
export function errorBody({ body }: ExchangeAnswer): ReturnType<typeof ERROR> {
  return ERROR(parseObject(body) ?? {})
}

/** Whether a later call may succeed: too many calls, or a failure of the server. */
export function isPassing({ status }: ExchangeAnswer): boolean {
  return status === 429 || status >= 500
}
