import { refusedAnswer } from '../ground/cli-error.ts'
import type { ExchangeAnswer } from '../ground/exchange.ts'
import type { Parts, ViewName } from '../ground/parts.ts'
import { read, type Shape } from '../ground/shape.ts'
import { type CallOptions, callEndpoint, type EndpointName } from './endpoint-call.ts'
import { patientExchange, rateLimitNotice } from './rate-limit.ts'
import { readable, refusal } from './server-failure.ts'

const TIMEOUT_MS = 60_000
const MAX_BODY_BYTES = 64 * 1024 * 1024

export type Library = {
  readonly server: string
  /** The workspace that the calls work in; null: the server chooses. */
  readonly workspace: { readonly id: string; readonly name: string } | null
  readonly view: ViewName
  /** The token of a machine; absent: the calls are made without a credential. */
  readonly token?: string
}

/** A library, and how to reach it. */
export type LibraryParts = { readonly library: Library; readonly parts: Parts }

/** Call an endpoint of the server's library of keys, and wait where the server limits the rate.
 * @param explain turns a refusal into what a person reads; undefined: it has nothing to add
 * @returns the answer in this shape · @throws CliError */
export async function callLibrary<T>(
  { library, parts }: LibraryParts,
  { name, shape, explain, ...options }: LibraryCall<T>,
): Promise<T> {
  const { server, view, workspace, token } = library
  const exchange = patientExchange(parts, (waitMs) => parts.stderr.write(rateLimitNotice(view, waitMs)))
  const answer = await callEndpoint({ server, exchange }, name, {
    ...options,
    headers: {
      // The web-facing layer accepts writes from its own origin only.
      origin: new URL(server).origin,
      ...(workspace === null ? {} : { 'keyferry-workspace': workspace.id }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
  }).catch((error: unknown) => {
    throw readable(error, server)
  })
  if (answer.status < 200 || answer.status >= 300) throw explain?.(answer) ?? refusal(answer, server)
  return read(parseJson(answer.body), shape, unknownAnswer)
}

type LibraryCall<T> = Pick<CallOptions, 'params' | 'query' | 'body'> & {
  readonly name: EndpointName
  readonly shape: Shape<T>
  readonly explain?: (answer: ExchangeAnswer) => Error | undefined
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
  return refusedAnswer('the server sent an answer that this version of Keyferry does not know', options)
}
