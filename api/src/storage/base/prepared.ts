import { randomUUID } from 'node:crypto'
import type { CompiledQuery } from 'kysely'

/** Builds a statement; `value(name)` is a placeholder for the value that each run passes under this name. */
type BuildQuery<Name extends string, Row> = (value: (name: Name) => string) => {
  compile(): CompiledQuery<Row>
}

/** Prepare a statement of the calls that are made most: building one can take longer than running it, so this builds it
 * once. Each run passes its values. */
export function preparedStatement<Name extends string, Row>(
  build: BuildQuery<Name, Row>,
): (values: Readonly<Record<Name, string | number | Uint8Array | null>>) => CompiledQuery<Row> {
  // A random text marks where a value belongs: no constant of a query is equal to it.
  const names = new Map<unknown, Name>()
  const marker = (name: Name) => {
    const mark = randomUUID()
    names.set(mark, name)
    return mark
  }
  const compiled = build(marker).compile()
  const places = compiled.parameters.map((parameter) => ({ parameter, name: names.get(parameter) }))
  return (values) => ({
    ...compiled,
    parameters: places.map(({ parameter, name }) => (name === undefined ? parameter : values[name])),
  })
}
