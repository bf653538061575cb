import { randomUUID } from 'node:crypto'
import { handWriter } from './by-hand.ts'
import { startApi } from './contenders.ts'
import {
  type Benchmark,
  type BenchOptions,
  type Measurement,
  median,
  rounded,
  within,
} from './measurement.ts'
import { type Stage, stages } from './stages.ts'

const VARIABLES = 500
const TIMES_NEW = 2.5
const TIMES_CHANGED = 4
const WARM_UP = 3

type Timed = { create: number; update: number; byHand: number }

/** An import of 500 variables in one call, and one that changes as many values, beside writing 500 keys by hand. */
export const imports: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const stage of stages()) measurements.push(...(await measure(stage, options)))
  return measurements
}

async function measure({ name, forApi, forBare }: Stage, { turns }: BenchOptions): Promise<Measurement[]> {
  const [api, byHand] = [await startApi(forApi), await handWriter(forBare)]
  const times: Timed[] = []
  try {
    for (let turn = -WARM_UP; turn < turns; turn++) {
      const names = Array.from({ length: VARIABLES }, (_, index) => `V${turn + WARM_UP}_${index}`)
      const importAll = async () => {
        const entries = names.map((each) => ({ name: each, value: randomUUID() }))
        await api.owner.call('POST', '/api/v1/imports', { body: { bundle: `bundle-${turn}`, entries } })
      }
      const timed = {
        create: await msOf(importAll),
        byHand: await msOf(() => byHand.write(names)),
        update: await msOf(importAll),
      }
      if (turn >= 0) times.push(timed)
    }
  } finally {
    await Promise.all([api.stop('SIGKILL'), byHand.close()])
  }
  return [
    comparison(`${VARIABLES} new variables, ${name}`, TIMES_NEW, { times, of: ({ create }) => create }),
    comparison(`${VARIABLES} changed variables, ${name}`, TIMES_CHANGED, {
      times,
      of: ({ update }) => update,
    }),
  ]
}

function comparison(
  what: string,
  bound: number,
  { times, of }: { times: readonly Timed[]; of: (timed: Timed) => number },
): Measurement {
  const ratio = median(times.map((timed) => of(timed) / timed.byHand))
  return within(
    { value: ratio, bound, unit: 'times' },
    {
      what: `import ${what}`,
      subject: `${rounded(median(times.map(of)))} ms`,
      baseline: `${rounded(median(times.map(({ byHand }) => byHand)))} ms by hand`,
    },
  )
}

async function msOf(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
