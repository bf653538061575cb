import { randomUUID } from 'node:crypto'
import { CompiledQuery } from 'kysely'
import { ask } from './pipeline.ts'
import type { BuildRead, PreparedRead } from './queries.ts'

/** Prepare a statement of the transactions that are made most. Each run passes its values. */
export function preparedStatement<Name extends string, Row>(
  build: BuildRead<Name, Row>,
): (values: Readonly<Record<Name, string | number | Uint8Array | null>>) => CompiledQuery<Row> {
  const { text, parametersFor } = templateOf(build)
  return (values) => CompiledQuery.raw(text, parametersFor(values))
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
  return (values, transaction) =>
    transaction
      ? ask(transaction, CompiledQuery.raw(text, parametersFor(values)))
      : (rowsFor(parametersFor(values)) as Promise<Row[]>)
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
  const parametersFor = (values: Readonly<Record<Name, unknown>>): unknown[] =>
    places.map(({ parameter, name }) => (name === undefined ? parameter : values[name]))
  return { text, parametersFor }
}
