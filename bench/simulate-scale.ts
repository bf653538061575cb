import { parseArgs } from 'node:util'
import { rounded } from './measurement.ts'
import { type Load, nodesFor, predicted, type Scale } from './scale-model.ts'
import { simulated } from './scale-simulation.ts'

// Holds the arithmetic of docs/scaling.md against a simulation: `node bench/simulate-scale.ts --help`.

const USAGE = `node bench/simulate-scale.ts [--held 100000] [--decision-s 30] [--hold-s 30] [--delivery-ms 1.8]
    [--repoll-ms 0.6] [--utilization 0.6] [--seconds 60]\n`

const { values } = parseArgs({
  options: {
    held: { type: 'string', default: '100000' },
    'decision-s': { type: 'string', default: '30' },
    'hold-s': { type: 'string', default: '30' },
    'delivery-ms': { type: 'string', default: '1.8' },
    'repoll-ms': { type: 'string', default: '0.6' },
    utilization: { type: 'string', default: '0.6' },
    seconds: { type: 'string', default: '60' },
    help: { type: 'boolean', default: false },
  },
})
const decisionSeconds = Number(values['decision-s'])
const rate = Number(values.held) / decisionSeconds
const seconds = Number(values.seconds)
if (values.help || !(rate > 0 && seconds > 0)) {
  process.stderr.write(USAGE)
  process.exit(values.help ? 0 : 2)
}

const traffic: Scale = {
  requestsPerSecond: rate,
  decisionSeconds,
  holdSeconds: Number(values['hold-s']),
  apiNodes: 1,
  deliverySeconds: Number(values['delivery-ms']) / 1_000,
  repollSeconds: Number(values['repoll-ms']) / 1_000,
}
const scale = { ...traffic, apiNodes: nodesFor(traffic, Number(values.utilization)) }
const [arithmetic, simulation] = [predicted(scale), simulated(scale, seconds, Math.random)]

const LINES: readonly { name: string; of: (load: Load) => number; unit: string; tolerance: number }[] = [
  { name: 'held waits', of: ({ heldWaits }) => heldWaits, unit: '', tolerance: 0.03 },
  { name: 'repeated waits', of: ({ repollsPerSecond }) => repollsPerSecond, unit: '/s', tolerance: 0.05 },
  { name: 'utilization of a node', of: ({ utilization }) => utilization * 100, unit: ' %', tolerance: 0.05 },
  {
    name: 'queueing at a node',
    of: ({ queueSeconds }) => queueSeconds * 1_000,
    unit: ' ms',
    tolerance: 0.15,
  },
]

process.stdout.write(
  `${rounded(rate)} requests/s, decided after ${decisionSeconds} s: ${scale.apiNodes} API nodes\n`,
)
let agrees = true
for (const { name, of, unit, tolerance } of LINES) {
  const [expected, seen] = [of(arithmetic), of(simulation)]
  const isClose = Math.abs(seen / expected - 1) <= tolerance
  agrees &&= isClose
  const verdict = isClose ? '' : '  DIFFERS'
  process.stdout.write(
    `${name}: ${rounded(expected)}${unit} by arithmetic, ${rounded(seen)}${unit} simulated${verdict}\n`,
  )
}
process.exit(agrees ? 0 : 1)
