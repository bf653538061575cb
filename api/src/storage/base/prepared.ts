import { randomUUID } from 'node:crypto'
import { CompiledQuery, type Kysely } from 'kysely'
import type { Tables } from './tables.ts'

/** A read that is built once and run often, outside of transactions. */
export type PreparedRead<Name extends string, Row> = (
  values: Readonly<Record<Name, string>>,
) => Promise<Row[]>

/** Builds a query; `value(name)` is a placeholder for the value that each run passes under this name. */
export type BuildRead<Name extends string, Row> = (value: (name: Name) => string) => {
  compile(): CompiledQuery<Row>
}

/** As `PreparedRead`, within a transaction. */
type PreparedInTransaction<Name extends string, Row> = (
  transaction: Kysely<Tables>,
  values: Readonly<Record<Name, string>>,
) => Promise<readonly Row[]>

/** Prepare a read of transactions that are made most. */
export function preparedInTransaction<Name extends string, Row>(
  build: BuildRead<Name, Row>,
): PreparedInTransaction<Name, Row> {
  const { text, parametersFor } = templateOf(build)
  return async (transaction, values) =>
    (await transaction.executeQuery<Row>(CompiledQuery.raw(text, parametersFor(values)))).rows
}

/** Prepare a read for the calls that are made most: building a query takes longer than running it, so this builds it
 * once. `run` gets its text and, at each run, its parameters. */
export function prepared<Name extends string, Row>(
  build: BuildRead<Name, Row>,
  run: (text: string) => (parameters: unknown[]) => Promise<unknown[]>,
): PreparedRead<Name, Row> {
  const { text, parametersFor } = templateOf(build)
  const rowsFor = run(text)
  // The query's own type says what its rows hold, as in every other use of the query layer.
  return async (values) => (await rowsFor(parametersFor(values))) as Row[]
}

function templateOf<Name extends string, Row>(build: BuildRead<Name, Row>) {
  // A random text marks where a value belongs: no constant of a query is equal to it.
  const names = new Map<unknown, Name>()
  const marker = (name: Name) => {
    const mark = randomUUID()
    names.set(mark, name)
    return mark
  }
  const { sql: text, parameters } = build(marker).compile()
  const places = parameters.map((parameter) => ({ parameter, name: names.get(parameter) }))
  const parametersFor = (values: Readonly<Record<Name, string>>): unknown[] =>
    places.map(({ parameter, name }) => (name === undefined ? parameter : values[name]))
  return { text, parametersFor }
}
