import type { Access, ApiEndpointName, apiEndpoints, Endpoint } from '@keyferry/contract'
import type { z } from 'zod'
import type { Caller, Visitor } from '../domain/membership.ts'

type Output<R, Part extends string> = R extends { [K in Part]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

type CallerOf<A extends Access> = A extends 'member' | 'owner' ? Caller : A extends 'session' ? Visitor : null

/** Where a call comes from, as far as proxies are believed. */
export type Peer = { address: string; userAgent: string }

/** One call that was let in and whose parts are valid. */
type Call<R extends Endpoint> = {
  caller: CallerOf<R['access']>
  params: Output<R, 'params'>
  query: Output<R, 'query'>
  headers: Output<R, 'headers'>
  body: Output<R, 'body'>
  peer: Peer
  /** Calls back when the connection breaks before the answer was handed to the socket, at once when it has. */
  onBreak: (listener: () => void) => void
}

/** What became of an answer; exactly one of the two is called, once. */
export type Delivery = {
  /** The whole answer was handed to the socket. */
  delivered: () => void
  /** The connection broke before that. */
  broken: () => void
}

type Extras = { headers?: Readonly<Record<string, string>>; delivery?: Delivery }

/** A status of the endpoint's row with a body of its schema; text is sent as text, all else as JSON. A stream of
 * JSON text stands for a body that is too long to hold. */
type Reply<R extends Endpoint> = {
  [S in keyof R['responses'] & number]: Extras & { status: S } & (
      | { body: z.input<R['responses'][S]> }
      | { stream: AsyncIterable<string> }
    )
}[keyof R['responses'] & number]

type Handler<R extends Endpoint> = (call: Call<R>) => Promise<Reply<R>> | Reply<R>

/** One handler for each row of the endpoint table: a row without one, or one without a row, does not compile. */
export type Handlers = { [N in ApiEndpointName]: Handler<(typeof apiEndpoints)[N]> }

/** What a limit says to one more call: whether it may pass, and what the answer's headers tell either way. */
export type RateVerdict = { allowed: boolean; headers: Readonly<Record<string, string>> }

/** Counts a call before anything else is looked at. */
export type RateLimit = (peer: Peer, body: Uint8Array) => Promise<RateVerdict>

export type RateLimits = { readonly [N in ApiEndpointName]?: RateLimit }
