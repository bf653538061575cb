import type { Access, ApiEndpointName, apiEndpoints, Endpoint, PathParams } from '@keyferry/contract'
import type { z } from 'zod'
import type { Origin } from '../domain/base/origin.ts'
import type { NamedCaller, Visitor } from '../domain/people/membership.ts'
import type { Program } from '../domain/people/program.ts'

type PartOutput<R, Part extends string> = R extends { [K in Part]: infer S extends z.ZodType }
  ? z.output<S>
  : undefined

type CallerOf<A extends Access> = A extends 'member' | 'owner'
  ? NamedCaller
  : A extends 'session'
    ? Visitor
    : A extends 'program'
      ? Program
      : A extends 'public_or_layer'
        ? 'layer' | null
        : null

/** A row that programs may call too has two kinds of callers. */
type ProgramOf<R extends Endpoint> = R extends { program: string } ? Program : never

/** The address of the caller; proxy headers count only from trusted proxies. */
export type Peer = { address: string; userAgent: string }

/** What an event keeps of where a call came from. */
export function originOf({ address, userAgent }: Peer): Origin {
  return { ip: address, user_agent: userAgent }
}

/** One admitted call with valid parts. */
type HandlerCall<R extends Endpoint> = {
  caller: CallerOf<R['access']> | ProgramOf<R>
  params: R extends { params: z.ZodType } ? PartOutput<R, 'params'> : PathParams<R['path']>
  query: PartOutput<R, 'query'>
  headers: PartOutput<R, 'headers'>
  body: PartOutput<R, 'body'>
  peer: Peer
  /** The header `Keyferry-Touch`. */
  touch: string | undefined
  /** Calls back when the connection breaks before the answer was handed to the socket; at once if it already has. */
  onBreak: (listener: () => void) => void
}

/** Learns what became of an answer: exactly one of the two is called, once. */
export type AnswerOutcome = {
  /** The whole answer was handed to the socket. */
  delivered: () => void
  /** The connection broke before that. */
  broken: () => void
}

type ReplyExtras = { headers?: Readonly<Record<string, string>>; delivery?: AnswerOutcome }

/** An answer that says more than its body. `status`: one of the endpoint's row, unless given its first. A body that is
 * too long for memory is a stream, of JSON unless `isText`. */
export class Reply<const Whole> {
  readonly parts: Whole

  constructor(parts: Whole) {
    this.parts = parts
  }
}

type Status<R extends Endpoint> = keyof R['responses'] & number
type Body<R extends Endpoint> = z.input<R['responses'][Status<R>]>

type ReplyParts<R extends Endpoint> = {
  [S in Status<R>]: ReplyExtras & { status?: S } & (
      | { body: z.input<R['responses'][S]> }
      | { stream: AsyncIterable<string>; isText?: boolean }
    )
}[Status<R>]

/** A body of the row's schema for its first status. A string is sent as text, everything else as JSON. */
type HandlerAnswer<R extends Endpoint> = Body<R> | Reply<ReplyParts<R>>

/** Without an answer, the body is `{ ok: true }`. */
type Handler<R extends Endpoint> =
  | ((call: HandlerCall<R>) => Promise<HandlerAnswer<R>> | HandlerAnswer<R>)
  | ({ ok: true } extends Body<R> ? (call: HandlerCall<R>) => Promise<void> : never)

/** One handler for each row of the endpoint table: a row without one, or one without a row, does not compile. */
export type Handlers = { [N in ApiEndpointName]: Handler<(typeof apiEndpoints)[N]> }

/** Whether a limit allows one more call, and the headers that tell the caller about the limit. */
export type RateVerdict = { allowed: boolean; headers: Readonly<Record<string, string>> }

/** Counts a call before anything else is checked. */
export type RateLimit = (peer: Peer, body: Uint8Array) => Promise<RateVerdict>

export type RateLimits = { readonly [N in ApiEndpointName]?: RateLimit }
