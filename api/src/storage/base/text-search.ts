import { type RawBuilder, sql } from 'kysely'

/** A condition that is true where `column` contains `text`, read as it is: nothing in it is a wildcard. Both databases
 * compare in the same way here, which they do not with `like`. */
export function contains(column: RawBuilder<string>, text: string): RawBuilder<boolean> {
  return sql<boolean>`replace(${column}, ${text}, '') <> ${column}`
}

/** As `contains`, in any case. Names are ASCII, the only letters whose case both databases fold in the same way, so
 * `like` compares in the same way too, and takes less time. */
export function containsInAnyCase(column: string, text: string): RawBuilder<boolean> {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql<boolean>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`
}
