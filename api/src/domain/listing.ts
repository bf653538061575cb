/** The part of a list that a caller asks for; without it the whole list. */
export type Page = { limit?: number | undefined; offset?: number | undefined }

/** One read of a store: by name, at most `limit` rows, from `offset` or behind the name `after`. */
export type Slice = { limit: number; offset: number; after: string | null }

/** A list that may be long: its total before paging, and its entries some at a time. */
export type Listing<T> = { total: number; chunks: AsyncIterable<readonly T[]> }

/** Small enough that reading and writing one chunk does not hold up other calls. */
const CHUNK = 500

/** Read a list some rows at a time, so that no length of it holds memory or other calls up. */
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
