import { randomUUID } from 'node:crypto'
import type { Compilable, CompiledQuery } from 'kysely'
import { ask } from './pipeline.ts'
import type { Query } from './queries.ts'

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

/** A read of what some ids name. Most calls are about one id. For these, each query layer builds the statement once,
 * and all transactions of a database share one. */
export function readByIds<Row>(
  build: (query: Query, tenantId: string, ids: readonly string[]) => Compilable<Row>,
): (query: Query, tenantId: string, ids: readonly string[]) => Promise<Row[]> {
  const known = new WeakMap<object, ReturnType<typeof preparedStatement<'tenantId' | 'id', Row>>>()
  const prepared = (query: Query) => {
    const layer = query.isTransaction ? query.getExecutor().adapter : query
    const made =
      known.get(layer) ?? preparedStatement((value) => build(query, value('tenantId'), [value('id')]))
    known.set(layer, made)
    return made
  }
  return (query, tenantId, ids) => {
    const [id = '', ...others] = ids
    return ask(query, others.length === 0 ? prepared(query)({ tenantId, id }) : build(query, tenantId, ids))
  }
}
