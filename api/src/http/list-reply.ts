import { setImmediate as turn } from 'node:timers/promises'
import type { Listing } from '../domain/listing.ts'

type ListReply<B> = { status: 200; headers: Record<string, string> } & (
  | { body: B[] }
  | { stream: AsyncIterable<string> }
)

/** Answer a list with its total. A list of one chunk is an ordinary body; a longer one is written as it is read. The
 * first chunks are read before the answer begins, so that an unavailable store is still an error answer. */
export async function listReply<T, B>(listing: Listing<T>, present: (entry: T) => B): Promise<ListReply<B>> {
  const headers = { 'x-total-count': String(listing.total) }
  const chunks = listing.chunks[Symbol.asyncIterator]()
  const first = await next(chunks, present)
  const second = await next(chunks, present)
  if (second === null) return { status: 200, headers, body: first ?? [] }
  return { status: 200, headers, stream: jsonArray([...(first ?? []), ...second], chunks, present) }
}

async function next<T, B>(
  chunks: AsyncIterator<readonly T[]>,
  present: (entry: T) => B,
): Promise<B[] | null> {
  const { done, value } = await chunks.next()
  return done === true ? null : value.map(present)
}

async function* jsonArray<T, B>(
  begun: readonly B[],
  chunks: AsyncIterator<readonly T[]>,
  present: (entry: T) => B,
): AsyncGenerator<string> {
  yield `[${jsonOf(begun)}`
  for (let chunk = await next(chunks, present); chunk !== null; chunk = await next(chunks, present)) {
    if (chunk.length > 0) yield `,${jsonOf(chunk)}`
    // SQLite answers without a pause, so other calls would wait until the whole list is written.
    await turn()
  }
  yield ']'
}

function jsonOf(entries: readonly unknown[]): string {
  return entries.map((entry) => JSON.stringify(entry)).join(',')
}
