import type { Compiled } from './prepared.ts'
import { type Batch, type Question, type Sharing, WaitingReads } from './waiting-reads.ts'

type Values = Readonly<Record<string, string>>

/** Runs a statement whose rows each say by `asked_place`, from 1, whose they are. */
type RunBatch = (text: string, parameters: unknown[]) => Promise<readonly PlacedRow[]>
type PlacedRow = { asked_place: number }

/** A read that goes to the database once for those who ask at about the same time: what waits for a round trip goes
 * together in the next, as far as `sharing` allows, and the same question only once. Alone, it goes at once. */
export function batchedRead(
  read: Compiled,
  run: RunBatch,
  sharing: Sharing,
): (values: Values) => Promise<unknown[]> {
  const { text, parameters } = forMany(read)
  const waiting = new WaitingReads(sharing)
  let isScheduled = false

  const schedule = () => {
    if (isScheduled || !waiting.mayGo()) return
    isScheduled = true
    setImmediate(() => {
      isScheduled = false
      const batch = waiting.next()
      if (batch) void answer(batch)
      schedule()
    })
  }
  const answer = async ({ questions, end }: Batch) => {
    try {
      const rows = grouped(await run(text, parameters(questions)), questions.length)
      for (const [index, { askers }] of questions.entries())
        for (const { resolve } of askers) resolve(rows[index] ?? [])
    } catch (error) {
      for (const { askers } of questions) for (const { reject } of askers) reject(error)
    } finally {
      end()
      schedule()
    }
  }
  return (values) =>
    new Promise((resolve, reject) => {
      waiting.add(values, { resolve, reject })
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
    parameters: (questions: readonly Question[]) => [
      ...names.map((name) => questions.map(({ values }) => values[name])),
      ...fixed,
    ],
  }
}

function grouped(rows: readonly PlacedRow[], size: number): unknown[][] {
  const groups = Array.from({ length: size }, (): unknown[] => [])
  for (const { asked_place, ...row } of rows) groups[asked_place - 1]?.push(row)
  return groups
}
