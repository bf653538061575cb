import type { CompiledQuery } from 'kysely'

/** A read that is built and compiled once and run often, outside of any transaction. */
export type PreparedRead<Name extends string, Row> = (
  values: Readonly<Record<Name, string>>,
) => Promise<Row[]>

/** `value` stands for what each run puts in its place. */
export type BuildRead<Name extends string, Row> = (value: (name: Name) => string) => {
  compile(): CompiledQuery<Row>
}

// A NUL stands in no value that is stored or looked for, so it marks the places of those that come later.
const PLACE = '\0'

/** The text of a read, and the function that puts values in the places of its parameters. */
export function compiled<Name extends string, Row>(build: BuildRead<Name, Row>) {
  const { sql: text, parameters } = build((name) => PLACE + name).compile()
  const places = parameters.map(placeName)
  return {
    sql: text,
    parameters: (values: Readonly<Record<string, string>>) =>
      places.map((name, index) => (name === null ? parameters[index] : values[name])),
  }
}

function placeName(parameter: unknown): string | null {
  const isPlace = typeof parameter === 'string' && parameter.startsWith(PLACE)
  return isPlace ? parameter.slice(PLACE.length) : null
}

// The query's type says what its rows hold, as it does wherever the query layer runs it.
export function rowsOf<Row>(rows: unknown[]): Row[] {
  return rows as Row[]
}
