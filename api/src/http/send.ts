import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { AnswerOutcome } from './handler.ts'

/** A handler's reply without its types. */
export type LooseReply = {
  status: number
  body?: unknown
  stream?: AsyncIterable<string>
  isText?: boolean
  headers?: Readonly<Record<string, string>>
  delivery?: AnswerOutcome
}

const JSON_TYPE = 'application/json; charset=utf-8'
const TEXT_TYPE = 'text/plain; charset=utf-8'

// One text may be a megabyte; by default sixteen would wait in memory for a slow caller.
const READ_WHEN_WRITTEN = { highWaterMark: 1 }

/** Send an answer and tell its delivery the outcome. */
export function send(reply: FastifyReply, answer: LooseReply): FastifyReply {
  const { status, body, stream, isText = typeof body === 'string', headers = {}, delivery } = answer
  if (delivery) follow(reply, delivery)
  reply.code(status).headers({ 'cache-control': 'no-store', ...headers })
  reply.type(headers['content-type'] ?? (isText ? TEXT_TYPE : JSON_TYPE))
  if (stream) return reply.send(Readable.from(stream, READ_WHEN_WRITTEN))
  return reply.send(isText ? body : JSON.stringify(body))
}

function follow({ raw }: FastifyReply, { delivered, broken }: AnswerOutcome): void {
  if (raw.destroyed || raw.socket?.destroyed === true) broken()
  else raw.once('close', () => (raw.writableFinished ? delivered() : broken()))
}
