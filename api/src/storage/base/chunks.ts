// Both databases bound the parameters of one query.
const AT_ONCE = 200

/** The parts of a list that one query takes. */
export function* chunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += AT_ONCE) yield list.slice(from, from + AT_ONCE)
}

/** What a query finds for a list, part by part. */
export async function inChunks<T, Row>(
  list: readonly T[],
  read: (some: readonly T[]) => Promise<readonly Row[]>,
): Promise<Row[]> {
  return (await Promise.all([...chunks(list)].map(read))).flat()
}
