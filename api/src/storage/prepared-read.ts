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

/** `constants[i]` is the i-th parameter where `places[i]` is null; else `places[i]` names the value that it stands for. */
export type CompiledRead = {
  readonly sql: string
  readonly places: readonly (string | null)[]
  readonly constants: readonly unknown[]
}

export function compiled<Name extends string, Row>(build: BuildRead<Name, Row>): CompiledRead {
  const { sql, parameters } = build((name) => PLACE + name).compile()
  return { sql, places: parameters.map(placeName), constants: parameters }
}

/** A read's parameters with values in their places. */
export function parametersOf(
  { places, constants }: CompiledRead,
  values: Readonly<Record<string, string>>,
): unknown[] {
  return places.map((name, index) => (name === null ? constants[index] : values[name]))
}

function placeName(parameter: unknown): string | null {
  const isPlace = typeof parameter === 'string' && parameter.startsWith(PLACE)
  return isPlace ? parameter.slice(PLACE.length) : null
}

// The query's type says what its rows hold, as it does wherever the query layer runs it.
export function rowsOf<Row>(rows: unknown[]): Row[] {
  return rows as Row[]
}
