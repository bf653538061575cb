import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { Delivery } from './handler.ts'

/** A handler's reply without its types. */
export type LooseReply = {
  status: number
  body?: unknown
  stream?: AsyncIterable<string>
  headers?: Readonly<Record<string, string>>
  delivery?: Delivery
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** Send an answer and tell its delivery the outcome. */
export function send(reply: FastifyReply, answer: LooseReply): FastifyReply {
  const { status, body, stream, headers = {}, delivery } = answer
  if (delivery) follow(reply, delivery)
  reply.code(status).headers({ 'cache-control': 'no-store', ...headers })
  if (stream) return reply.type(JSON_TYPE).send(Readable.from(stream))
  if (typeof body === 'string') return reply.type(TEXT_TYPE).send(body)
  return reply.type(JSON_TYPE).send(JSON.stringify(body))
}

function follow({ raw }: FastifyReply, { delivered, broken }: Delivery): void {
  if (raw.destroyed || raw.socket?.destroyed === true) broken()
  else raw.once('close', () => (raw.writableFinished ? delivered() : broken()))
}
