// Both databases bound the parameters of one query.
const AT_ONCE = 200

/** The parts of a list that one query takes. */
export function* chunks<T>(list: readonly T[]): Generator<readonly T[]> {
  for (let from = 0; from < list.length; from += AT_ONCE) yield list.slice(from, from + AT_ONCE)
}
