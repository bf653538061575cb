import { fillPath } from '@keyferry/contract/client'
import { refusedAnswer } from '../ground/cli-error.ts'
import type { Exchange, ExchangeAnswer, ExchangeRequest } from '../ground/exchange.ts'
import type { Parts, ViewName } from '../ground/parts.ts'
import { patientExchange, rateLimitNotice } from './rate-limit.ts'
import { readable, refusal } from './server-failure.ts'

const TIMEOUT_MS = 60_000
const MAX_BODY_BYTES = 64 * 1024 * 1024

type Call = Pick<ExchangeRequest, 'method'> & {
  readonly path: string
  readonly query?: string
  readonly body?: object
}

export type Library = {
  readonly server: string
  /** The workspace that the calls work in; null: the server chooses. */
  readonly workspace: { readonly id: string; readonly name: string } | null
  readonly view: ViewName
  /** The token of a machine; absent: the calls are made without a credential. */
  readonly token?: string
}

/** Call the server's library of keys, and wait where the server limits the rate.
 * @param explain turns a refusal into what a person reads; undefined: it has nothing to add
 * @returns the answer's JSON · @throws CliError */
export async function callLibrary(
  { library, parts }: { library: Library; parts: Parts },
  { method, path, query = '', body }: Call,
  explain: (answer: ExchangeAnswer) => Error | undefined = () => undefined,
): Promise<unknown> {
  const { server, view, workspace, token } = library
  const exchange = patientExchange(parts, (waitMs) => parts.stderr.write(rateLimitNotice(view, waitMs)))
  const inWorkspace: Record<string, string> = workspace === null ? {} : { 'keyferry-workspace': workspace.id }
  const answer = await answerOf(exchange, server, {
    method,
    url: server + fillPath(path) + query,
    // The web-facing layer accepts writes from its own origin only.
    headers: {
      origin: new URL(server).origin,
      ...inWorkspace,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
  })
  if (answer.status < 200 || answer.status >= 300) throw explain(answer) ?? refusal(answer, server)
  return parseJson(answer.body)
}

async function answerOf(
  exchange: Exchange,
  server: string,
  request: ExchangeRequest,
): Promise<ExchangeAnswer> {
  try {
    return await exchange(request)
  } catch (error) {
    throw readable(error, server)
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unknownAnswer({ cause })
  }
}

/** The answer has another shape than this version of the client knows. */
export function unknownAnswer(options?: ErrorOptions): Error {
  const what = 'the server sent an answer that this version of Keyferry does not know'
  return refusedAnswer(what, options)
}
