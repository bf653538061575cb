import type { Compiled } from './prepared.ts'

type Values = Readonly<Record<string, string>>
type Ask = { values: Values; resolve: (rows: unknown[]) => void; reject: (error: unknown) => void }

/** Runs a statement whose rows each say by `asked_place`, from 1, whose they are. */
type RunBatch = (text: string, parameters: unknown[]) => Promise<readonly PlacedRow[]>
type PlacedRow = { asked_place: number }

/** How many questions share a statement, and how many statements are underway at once: more than one, so that a
 * connection that hangs does not hold up everybody. */
type Sharing = { readonly size: number; readonly atOnce: number }

const ROWS: Sharing = { size: 100, atOnce: 4 }
const LISTS: Sharing = { size: 8, atOnce: 2 }

/** A read of one row at most that goes to the database once for all who ask at about the same time: what waits for a
 * round trip goes together in the next. Alone, it goes at once. */
export function batchedRead(read: Compiled, run: RunBatch): (values: Values) => Promise<unknown[]> {
  return inBatches(forMany(read), run, ROWS)
}

/** The same for a read of many rows. Those of one tenant alone share a statement, and wait for one another alone: nobody
 * else's rows come with a list that is long. */
export function batchedList(
  read: Compiled,
  run: RunBatch,
): (values: Values & { tenantId: string }) => Promise<unknown[]> {
  const statement = forMany(read)
  const tenants = new Map<string, { ask: (values: Values) => Promise<unknown[]>; asking: number }>()
  return async (values) => {
    const { tenantId } = values
    const tenant = tenants.get(tenantId) ?? { ask: inBatches(statement, run, LISTS), asking: 0 }
    tenants.set(tenantId, tenant)
    tenant.asking += 1
    try {
      return await tenant.ask(values)
    } finally {
      tenant.asking -= 1
      if (tenant.asking === 0) tenants.delete(tenantId)
    }
  }
}

function inBatches({ text, parameters }: ReturnType<typeof forMany>, run: RunBatch, sharing: Sharing) {
  const waiting: Ask[] = []
  let underway = 0
  let isScheduled = false

  const schedule = () => {
    if (isScheduled || underway >= sharing.atOnce || waiting.length === 0) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      void answer(waiting.splice(0, sharing.size))
      schedule()
    })
  }
  const answer = async (asks: readonly Ask[]) => {
    underway += 1
    try {
      const rows = grouped(await run(text, parameters(asks)), asks.length)
      for (const [index, ask] of asks.entries()) ask.resolve(rows[index] ?? [])
    } catch (error) {
      for (const ask of asks) ask.reject(error)
    } finally {
      underway -= 1
      schedule()
    }
  }
  return (values: Values): Promise<unknown[]> =>
    new Promise((resolve, reject) => {
      waiting.push({ values, resolve, reject })
      schedule()
    })
}

/** The statement that runs a read for each of many values. Every name becomes one array, a column of what is asked. */
function forMany({ sql, places, constants }: Compiled) {
  const names = [...new Set(places.filter((name) => name !== null))]
  const fixed = constants.filter((_, index) => places[index] === null)
  const inner = sql.replaceAll(/\$(\d+)/g, (_, position: string) => {
    const index = Number(position) - 1
    const name = places[index]
    if (name) return `asked."${name}"`
    return `$${names.length + 1 + places.slice(0, index).filter((place) => place === null).length}`
  })
  const arrays = names.map((_, index) => `$${index + 1}::text[]`)
  const columns = [...names.map((name) => `"${name}"`), 'place']
  return {
    text: `select found.*, asked.place as asked_place
      from unnest(${arrays.join(', ')}) with ordinality as asked (${columns.join(', ')})
      cross join lateral (${inner}) as found`,
    parameters: (asks: readonly Ask[]) => [
      ...names.map((name) => asks.map(({ values }) => values[name])),
      ...fixed,
    ],
  }
}

function grouped(rows: readonly PlacedRow[], size: number): unknown[][] {
  const groups = Array.from({ length: size }, (): unknown[] => [])
  for (const { asked_place, ...row } of rows) groups[asked_place - 1]?.push(row)
  return groups
}
