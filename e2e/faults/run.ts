import { parseArgs } from 'node:util'
import { COMMANDS, type Counts } from './commands.ts'

const USAGE = `npm run faults -- [NAME…] [--kills 30] [--approvals 500] [--waiters 8] [--revocations 1000]
    [--idle 10000] [--fuzz 20000] [--soak-minutes 20] [--mutants 80] [--seed 1] [--fresh] [--only FILE]
Names: ${Object.keys(COMMANDS).join(', ')}; without one, all.\n`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    kills: { type: 'string', default: '30' },
    approvals: { type: 'string', default: '500' },
    waiters: { type: 'string', default: '8' },
    revocations: { type: 'string', default: '1000' },
    idle: { type: 'string', default: '10000' },
    fuzz: { type: 'string', default: '20000' },
    'soak-minutes': { type: 'string', default: '20' },
    mutants: { type: 'string', default: '80' },
    seed: { type: 'string', default: '1' },
    fresh: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
})
const counts: Counts = {
  kills: Number(values.kills),
  approvals: Number(values.approvals),
  waiters: Number(values.waiters),
  revocations: Number(values.revocations),
  idle: Number(values.idle),
  fuzz: Number(values.fuzz),
  soakMinutes: Number(values['soak-minutes']),
  mutants: Number(values.mutants),
  seed: Number(values.seed),
  isFresh: values.fresh,
  only: values.only,
}
const unknown = positionals.filter((name) => !(name in COMMANDS))
if (
  values.help ||
  unknown.length > 0 ||
  !Object.values(counts).every((count) => typeof count !== 'number' || count > 0)
) {
  process.stderr.write(USAGE)
  process.exit(values.help ? 0 : 2)
}

let isAllWell = true
for (const [name, command] of Object.entries(COMMANDS)) {
  if (positionals.length > 0 && !positionals.includes(name)) continue
  for await (const { what, seen, isWell } of command(counts)) {
    process.stdout.write(`${isWell ? 'well ' : 'WRONG'} ${what}: ${seen}\n`)
    isAllWell &&= isWell
  }
}
process.exit(isAllWell ? 0 : 1)
