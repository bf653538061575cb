import type { CompiledQuery } from 'kysely'

/** Stands in a statement for what each run puts there. */
type ValueOf<Values> = <Name extends keyof Values & string>(name: Name) => Values[Name]

/** A read that is built and compiled once and run often, outside of any transaction. */
export type PreparedRead<Name extends string, Row> = (
  values: Readonly<Record<Name, string>>,
) => Promise<Row[]>

export type BuildRead<Name extends string, Row> = (value: (name: Name) => string) => {
  compile(): CompiledQuery<Row>
}

/** A change by one statement, built and compiled once and run often, each run a transaction of its own.
 * @returns how many rows it changed */
export type PreparedChange<Values> = (values: Values) => Promise<number>

export type BuildChange<Values> = (value: ValueOf<Values>) => { compile(): CompiledQuery }

// A NUL stands in no value that is stored or looked for, so it marks the places of those that come later.
const PLACE = '\0'

/** `constants[i]` is the i-th parameter where `places[i]` is null; else `places[i]` names the value that it stands for. */
export type Compiled = {
  readonly sql: string
  readonly places: readonly (string | null)[]
  readonly constants: readonly unknown[]
}

export function compiledRead<Name extends string, Row>(build: BuildRead<Name, Row>): Compiled {
  return compiled(build((name) => PLACE + name).compile())
}

export function compiledChange<Values>(build: BuildChange<Values>): Compiled {
  // Whatever type the column has, until the statement runs a mark stands in its place.
  const mark = ((name: string) => PLACE + name) as ValueOf<Values>
  return compiled(build(mark).compile())
}

function compiled({ sql, parameters }: CompiledQuery): Compiled {
  return { sql, places: parameters.map(placeName), constants: parameters }
}

/** A statement's parameters with values in their places. */
export function parametersOf(
  { places, constants }: Compiled,
  values: Readonly<Record<string, unknown>>,
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
