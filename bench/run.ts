import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'
import { apiReads } from './api-reads.ts'
import { approveToDelivered } from './approve-to-delivered.ts'
import { chainWriter } from './chain-writer.ts'
import { clientStart } from './client-start.ts'
import { comparing } from './comparing.ts'
import { deliveries } from './deliveries.ts'
import { events } from './events.ts'
import { growth } from './growth.ts'
import { imports } from './imports.ts'
import { machineDeliveries } from './machine-deliveries.ts'
import type { Benchmark, Measurement } from './measurement.ts'
import { memoryGrowth } from './memory-growth.ts'
import { pages } from './pages.ts'
import { sealing } from './sealing.ts'
import { start } from './start.ts'
import { tableOf } from './table.ts'
import { tenants } from './tenants.ts'
import { terminalConsent } from './terminal-consent.ts'
import { waiting } from './waiting.ts'
import { waits } from './waits.ts'
import { webHop } from './web-hop.ts'
import { webhooks } from './webhooks.ts'
import { writes } from './writes.ts'

const BENCHMARKS: Readonly<Record<string, Benchmark>> = {
  'api-reads': apiReads,
  writes,
  events,
  imports,
  tenants,
  comparing,
  'chain-writer': chainWriter,
  webhooks,
  'web-hop': webHop,
  'approve-to-delivered': approveToDelivered,
  deliveries,
  'machine-deliveries': machineDeliveries,
  waits,
  waiting,
  sealing,
  start,
  'client-start': clientStart,
  'terminal-consent': terminalConsent,
  pages,
  growth,
  'memory-growth': memoryGrowth,
}

const USAGE = `npm run bench -- [NAME…] [--seconds 3] [--turns 5] [--waiters 10000] [--keys 20000]
Names: ${Object.keys(BENCHMARKS).join(', ')}; without one, all.\n`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seconds: { type: 'string', default: '3' },
    turns: { type: 'string', default: '5' },
    waiters: { type: 'string', default: '10000' },
    keys: { type: 'string', default: '20000' },
    help: { type: 'boolean', default: false },
  },
})
const options = {
  seconds: Number(values.seconds),
  turns: Number(values.turns),
  waiters: Number(values.waiters),
  keys: Number(values.keys),
}
const unknown = positionals.filter((name) => !(name in BENCHMARKS))
if (values.help || unknown.length > 0 || !Object.values(options).every((value) => value > 0)) {
  process.stderr.write(USAGE)
  process.exit(values.help ? 0 : 2)
}

process.stdout.write(`Node ${process.version}, ${availableParallelism()} cores\n\n`)
const measurements: Measurement[] = []
for (const [name, benchmark] of Object.entries(BENCHMARKS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  process.stderr.write(`${name} …\n`)
  measurements.push(...(await benchmark(options)))
}
process.stdout.write(tableOf(measurements))
process.exit(measurements.some(({ isMet }) => isMet === false) ? 1 : 0)
