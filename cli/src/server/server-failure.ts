import { CliError, refusedAnswer } from '../ground/cli-error.ts'
import { type ExchangeAnswer, NetworkError } from '../ground/exchange.ts'
import { EXIT } from '../ground/exit-code.ts'
import { parseObject } from '../ground/json-object.ts'
import { printable } from '../ground/printable.ts'

/** What a person is told when a server could not be reached. */
export function networkFailure(error: NetworkError, server: string): CliError {
  if (error.reason === 'ETOOLONG') return refusedAnswer(error.message, { cause: error })
  const what = `no answer from ${server}: ${printable(error.message)}`
  return new CliError(EXIT.network, what, nextStep(error, server), { cause: error })
}

function nextStep({ reason }: NetworkError, server: string): string {
  if (reason === 'ECONNREFUSED') {
    return `Start the server there, or name another one with --server or KEYFERRY_SERVER (now ${server}).`
  }
  if (reason === 'ENOTFOUND' || reason === 'EAI_AGAIN')
    return 'Check the name in the address, and the network.'
  if (/CERT|SIGNATURE|ALTNAME|ISSUER/.test(reason)) {
    return 'If the server uses a private authority, point NODE_EXTRA_CA_CERTS or SSL_CERT_FILE at its certificate.'
  }
  return 'Check the address and the network (proxies: HTTPS_PROXY, NO_PROXY), then try again.'
}

/** What a person is told when a server said no. */
export function refusal(answer: ExchangeAnswer, server: string): CliError {
  if (answer.status >= 300 && answer.status < 400) return redirected(answer)
  const { error } = errorBody(answer)
  const reason = error === '' ? `status ${answer.status}` : `${printable(error)} (${answer.status})`
  return new CliError(EXIT.refused, `${server} refused: ${reason}`, afterStatus(answer, server))
}

function redirected({ location }: ExchangeAnswer): CliError {
  const target = printable(location ?? 'nowhere')
  return refusedAnswer(`the server sends elsewhere, to ${target}; redirects are not followed`)
}

function afterStatus({ status, retryAfterMs }: ExchangeAnswer, server: string): string {
  if (status === 401) return `This needs a signed-in person: use the web page at ${server}/bundles.`
  if (status === 403) return 'Ask an owner of the workspace to do it, or for the owner role.'
  if (status === 429) return `Wait ${Math.ceil((retryAfterMs ?? 60_000) / 1000)} s, then try again.`
  if (status === 404) return 'Check that the address is that of a Keyferry server, and its version.'
  if (status >= 500) return "Try again; if it stays so, look at the server's log."
  return 'Change what the message names, then try again.'
}

/** The texts of an error body; empty where it has none. */
export function errorBody({ body }: ExchangeAnswer): { error: string; code: string } {
  const value = parseObject(body) ?? {}
  const error = value['error']
  const code = value['code']
  return { error: typeof error === 'string' ? error : '', code: typeof code === 'string' ? code : '' }
}

/** Passes a NetworkError on as what a person reads; everything else as it is. */
export function readable(error: unknown, server: string): unknown {
  return error instanceof NetworkError ? networkFailure(error, server) : error
}
