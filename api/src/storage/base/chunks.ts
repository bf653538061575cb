import { turn } from '../../domain/base/turns.ts'

// Both databases bound the parameters of one query.
const AT_ONCE = 200

/** The parts of a list that one query takes. */
export function* chunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += AT_ONCE) yield list.slice(from, from + AT_ONCE)
}

// Parts that are sent to the database together.
const PARTS = 5

/** What a query finds for a list, part by part. Other calls run between a few parts: SQLite answers without a pause. */
export async function inChunks<T, Row>(
  list: readonly T[],
  read: (some: readonly T[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const parts = [...chunks(list)]
  const rows: (readonly Row[])[] = []
  for (let from = 0; from < parts.length; from += PARTS) {
    if (from > 0) await turn()
    rows.push(...(await Promise.all(parts.slice(from, from + PARTS).map(read))))
  }
  return rows.flat()
}

const PAGE = 1_000

/** All rows of a table of which each is checked, page by page. Other calls run between two pages. */
export async function inPages<Row extends { id: string }>(
  read: (afterId: string, count: number) => Promise<readonly Row[]>,
): Promise<Row[]> {
  const rows: Row[] = []
  for (;;) {
    const page = await read(rows.at(-1)?.id ?? '', PAGE)
    rows.push(...page)
    if (page.length < PAGE) return rows
    await turn()
  }
}
