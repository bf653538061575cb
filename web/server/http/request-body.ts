import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { Refusal } from './refusal.ts'

const tooLarge = () => new Refusal(413, 'too_large', 'request body too large')

/** The whole body; empty if there is none.
 * @throws Refusal too_large: more than `maxBytes` · invalid: the caller closed the connection early */
export async function readBody(request: FastifyRequest, maxBytes: number): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) throw tooLarge()
  try {
    return await readWhole(request.body instanceof Readable ? request.body : Readable.from([]), maxBytes)
  } catch (error) {
    // An incomplete body is the caller's fault: do not log it as a failure.
    throw error instanceof Refusal ? error : new Refusal(400, 'invalid', 'request body is incomplete')
  }
}

async function readWhole(body: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    const bytes = Buffer.from(chunk)
    size += bytes.length
    if (size > maxBytes) throw tooLarge()
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}

/** Parse the body of a call that this layer answers itself.
 * @throws Refusal invalid: not JSON · too_large */
export async function readJson(request: FastifyRequest, maxBytes: number): Promise<unknown> {
  try {
    return JSON.parse((await readBody(request, maxBytes)).toString('utf8'))
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(400, 'invalid', 'body must be JSON', { cause: error })
  }
}
