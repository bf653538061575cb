import type { Listing, ListPage } from '../domain/base/listing.ts'
import { turn } from '../domain/base/turns.ts'
import { Reply } from './handler.ts'

/** Answer a list with its total. */
export function listReply<T, B>({ chunks, total }: Listing<T>, present: (entry: T) => B) {
  return arrayReply(chunks, present, { 'x-total-count': String(total) })
}

/** Answer a list without its total. */
export async function arrayReply<T, B>(
  source: AsyncIterable<readonly T[]>,
  present: (entry: T) => B,
  headers: Record<string, string> = {},
) {
  const read = await readEntries(source, present)
  if ('entries' in read) return new Reply({ headers, body: read.entries })
  return new Reply({ headers, stream: jsonArray(read.chunks) })
}

/** Entries for an answer. Those of one chunk come at once, for an ordinary body; more come chunk by chunk, to be
 * written as they are read. The first chunks are read before this returns, so that an unavailable store is still an
 * error answer. */
export async function readEntries<T, B>(
  source: AsyncIterable<readonly T[]>,
  present: (entry: T) => B,
): Promise<{ entries: B[] } | { chunks: AsyncIterable<readonly B[]> }> {
  const chunks = source[Symbol.asyncIterator]()
  const first = (await next(chunks, present)) ?? []
  const second = await next(chunks, present)
  return second === null ? { entries: first } : { chunks: rest([first, second], chunks, present) }
}

/** Answer one page of a list with the total of the whole list. */
export function pageReply<T, B>({ total, rows }: ListPage<T>, present: (entry: T) => B) {
  const headers: Record<string, string> = total === null ? {} : { 'x-total-count': String(total) }
  return new Reply({ headers, body: rows.map(present) })
}

async function next<T, B>(chunks: AsyncIterator<readonly T[]>, present: (entry: T) => B) {
  const { done, value } = await chunks.next()
  return done === true ? null : value.map(present)
}

async function* rest<T, B>(
  begun: readonly B[][],
  chunks: AsyncIterator<readonly T[]>,
  present: (entry: T) => B,
): AsyncGenerator<readonly B[]> {
  yield* begun
  for (let chunk = await next(chunks, present); chunk !== null; chunk = await next(chunks, present)) {
    yield chunk
    // SQLite answers without a pause, so other calls would wait until the whole list is written.
    await turn()
  }
}

const asJson = (entry: unknown) => JSON.stringify(entry)

/** Write entries as JSON, separated by commas, between `open` and `close`; as an array unless told otherwise. */
export async function* jsonArray<B>(
  chunks: AsyncIterable<readonly B[]>,
  {
    open = '[',
    close = ']',
    write = asJson,
  }: { open?: string; close?: string; write?: (entry: B) => string } = {},
): AsyncGenerator<string> {
  let before = open
  for await (const chunk of chunks) {
    if (chunk.length === 0) continue
    yield before + chunk.map(write).join(',')
    before = ','
  }
  yield before === open ? open + close : close
}
