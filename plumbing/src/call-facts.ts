import type { FastifyReply, FastifyRequest } from 'fastify'

// Version 00 of https://www.w3.org/TR/trace-context/. Its ids are never only zeros.
const TRACEPARENT = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** What the log keeps of an answered call. It has the route's pattern instead of the URL, which can contain a request
 * id, a token or a value. `trace`: the id of the caller's trace, if it sent a `traceparent`. */
export function callFacts(request: FastifyRequest, reply: FastifyReply) {
  return {
    request: request.id,
    trace: traceOf(request.headers['traceparent']),
    method: request.method,
    route: request.routeOptions.url ?? 'unknown',
    status: reply.statusCode,
    ms: Math.round(reply.elapsedTime * 10) / 10,
  }
}

function traceOf(header: string | string[] | undefined): string | undefined {
  return typeof header === 'string' ? TRACEPARENT.exec(header)?.[1] : undefined
}
