import { type RawBuilder, sql } from 'kysely'

/** A condition that holds where `column` holds `text`, read as it is: nothing in it is a wildcard. Both databases
 * compare alike here, which they do not with `like`. */
export function contains(column: RawBuilder<string>, text: string): RawBuilder<boolean> {
  return sql<boolean>`replace(${column}, ${text}, '') <> ${column}`
}

/** As `contains`, in any case. Names are ASCII, the only case that both databases fold alike. */
export function containsInAnyCase(column: string, text: string): RawBuilder<boolean> {
  return contains(sql`lower(${sql.ref(column)})`, text.toLowerCase())
}
