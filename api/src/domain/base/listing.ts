/*
 * A list may be long, so it is read from the store and written to the caller in chunks. Without `limit` and `offset` a
 * caller gets the whole list.
 */

/** The part of a list that a caller asks for. */
export type Page = { limit?: number | undefined; offset?: number | undefined }

/** One read of a store, ordered by name: at most `limit` rows, from `offset` or after the name `after`. */
export type Slice = { limit: number; offset: number; after: string | null }

/** `total` counts all entries, before paging. */
export type Listing<T> = { total: number; chunks: AsyncIterable<readonly T[]> }

/** A part of a list whose bounds are known. */
export type WholePage = { limit: number; offset: number }

/** @param usual entries, where the caller names no limit */
export function wholePage({ limit, offset = 0 }: Page, usual = 100): WholePage {
  return { limit: limit ?? usual, offset }
}

/** One page of a list, and how many entries the whole list has; null: too many to count at each call. */
export type ListPage<T> = { total: number | null; rows: readonly T[] }

/** Rows in a chunk: few enough that reading and writing one does not delay other calls. */
const CHUNK = 500

/** Read a list in chunks, so that a long one neither fills memory nor delays other calls. */
export async function* chunksOf<T extends { name: string }>(
  read: (slice: Slice) => Promise<readonly T[]>,
  { limit = Number.POSITIVE_INFINITY, offset = 0 }: Page,
): AsyncGenerator<readonly T[]> {
  let slice: Slice = { limit: Math.min(limit, CHUNK), offset, after: null }
  for (let left = limit; ; ) {
    const rows = await read(slice)
    yield rows
    left -= rows.length
    const last = rows.at(-1)
    if (last === undefined || rows.length < slice.limit || left <= 0) return
    slice = { limit: Math.min(left, CHUNK), offset: 0, after: last.name }
  }
}
