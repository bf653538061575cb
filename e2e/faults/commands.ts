import { dirname } from 'node:path'
import { fuzz as fuzzApi } from '../../api/test/fuzz.ts'
import { freshPostgres, hasPostgres } from '../../plumbing/test/postgres.ts'
import { measureRows, verdictOn } from '../bounds/measure.ts'
import { ENGINES, hasEngine } from '../engines/engines.ts'
import { faultsOfPages, VIEWS } from '../engines/walk.ts'
import { startWorld } from '../engines/world.ts'
import { runReadme } from '../fresh-clone.ts'
import { CopyWithout, REMOVABLE } from '../removed-module.ts'
import { approveTooMuch, type JunkKind, sendJunk, storeRequests } from './attacks.ts'
import { stepClocks } from './clock.ts'
import { Deployment, type DeploymentOptions } from './deployment.ts'
import { sufferDiskFault } from './disk.ts'
import { type DiskFault, failingCalls, fullDisk, smallDisk } from './disk-faults.ts'
import { fuzzEnvText } from './env-fuzz.ts'
import { hostedStores } from './hosted-stores.ts'
import { fuzzHttp } from './http-fuzz.ts'
import { killUnderLoad } from './kills.ts'
import { testMutants } from './mutants/mutants.ts'
import { type Outage, redisFailovers, storeOutages, sufferOutage } from './outages.ts'
import { patroniFailovers } from './patroni.ts'
import { checkProperties } from './properties.ts'
import { raceRevocations } from './revocations.ts'
import { type RaceOptions, raceForDeliveries } from './single-delivery.ts'
import { besetBySlowClients } from './slow-clients.ts'
import { soak } from './soak.ts'
import { runBusyTests, runTests } from './test-run.ts'
import { firstOf, unclearAnswers, type Verdict } from './verdict.ts'
import { besetByReceivers } from './webhook-faults.ts'
import { killBeforeCalls } from './webhook-kills.ts'
import { makeSharedBundle } from './workload.ts'

/** How much of each; a command of hours and one of minutes are the same command. */
export type Counts = {
  readonly kills: number
  readonly approvals: number
  readonly waiters: number
  readonly revocations: number
  readonly idle: number
  readonly fuzz: number
  readonly soakMinutes: number
  readonly mutants: number
  readonly seed: number
  readonly isFresh: boolean
  readonly only: readonly string[]
}

type Command = (counts: Counts) => AsyncGenerator<Verdict>

const NPM_VERSIONS = ['9.2.0', '10.8.2', '10.9.4', '11.0.0', 'latest']
const DELIVERED = 'from a new clone\n'
const HEALTHY_MS = 2_000
const ANSWER_MS = 30_000
const SLOW_P99_MS = 500
const GROWTH = 0.1
const RECOVERED_MS = 10_000
const FAILED_OVER_MS = 45_000
const STEPPED_MS = 5_000
const DISK_RECOVERED_MS = 5_000
const APPROVALS_AT_ONCE = 500
const LARGE_VALUES = 3_000
const LARGE_GROWTH_MIB = 100
const JUNK_CONNECTIONS = 500
const JUNK_ENDS_MS = 120_000

/** Every deployment that faults are done to. */
async function* deployments(): AsyncGenerator<{ name: string; options: DeploymentOptions }> {
  yield { name: 'all in one', options: { processes: 'all' } }
  yield { name: 'API and web layer', options: { processes: 'separate' } }
  await using stores = await hostedStores()
  if (stores) yield { name: 'PostgreSQL and Redis', options: { processes: 'separate', stores } }
}

async function* sufferEach(outages: AsyncGenerator<Outage>): AsyncGenerator<Verdict> {
  for await (const outage of outages) {
    const { answers, recoveredMs, faults } = await sufferOutage(outage)
    const wrong = [...faults, ...unclearAnswers(answers, ANSWER_MS)]
    const slowest = Math.max(...answers.map(({ ms }) => ms))
    yield {
      what: outage.name,
      seen: `slowest refusal ${Math.round(slowest)} ms, recovered in ${Math.round(recoveredMs)} ms: ${firstOf(wrong)}`,
      isWell: wrong.length === 0 && recoveredMs < RECOVERED_MS,
    }
  }
}

const TYPES_CHECK = 'it delivers, and its types are right'

function typesOf(copy: CopyWithout): string {
  try {
    copy.checkTypes()
    return TYPES_CHECK
  } catch (error) {
    return String(error)
  }
}

/** Each kind of fault by its name. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  async *bounds() {
    for (const kind of hasPostgres() ? (['SQLite', 'PostgreSQL'] as const) : (['SQLite'] as const)) {
      const databaseUrl = kind === 'SQLite' ? null : await freshPostgres()
      for await (const measured of measureRows(databaseUrl)) yield verdictOn(kind, measured)
    }
  },

  async *properties({ fuzz }) {
    yield await checkProperties(fuzz)
  },

  async *mutants({ mutants, ...drawing }) {
    yield* testMutants({ count: mutants, ...drawing })
  },

  async *trials() {
    yield { what: 'the long tests, and PostgreSQL', ...(await runTests(['--mode', 'trials'])) }
  },

  async *busy() {
    yield { what: 'the tests beside busy processors', ...(await runBusyTests([])) }
  },

  async *starts() {
    for (const version of NPM_VERSIONS) {
      // The newest npm needs a newer Node.js than others may have here.
      const node = version === 'latest' ? dirname(process.execPath) : ''
      const seen = await runReadme(version, node).then(worseOf, String)
      yield {
        what: `the README with npm ${version}`,
        seen: seen.trim().split('\n').at(-1) ?? '',
        isWell: seen.endsWith(DELIVERED),
      }
    }
  },

  async *modules() {
    for (const module of Object.keys(REMOVABLE)) {
      using copy = new CopyWithout(module)
      const { output, isGone } = await copy.deliver()
      const seen = output.includes('delivered without it') && isGone ? typesOf(copy) : output
      yield { what: `the product without ${module}`, seen, isWell: seen === TYPES_CHECK }
    }
  },

  async *pages() {
    for (const engine of ENGINES.filter(hasEngine)) {
      await using started = await startWorld()
      const faults = await faultsOfPages(engine, Object.values(VIEWS), started)
      yield { what: `every page in ${engine.name}`, seen: firstOf(faults), isWell: faults.length === 0 }
    }
  },

  async *receivers() {
    for (const { name, seen, isWell } of await besetByReceivers())
      yield { what: `a receiver of webhooks that ${name}`, seen, isWell }
  },

  async *webhooks({ kills }) {
    const { acknowledged, repeated, faults } = await killBeforeCalls({ kills })
    yield {
      what: `kill -9 × ${kills} between changes and webhooks`,
      seen: `${acknowledged} changes, ${repeated} messages came twice: ${firstOf(faults)}`,
      isWell: faults.length === 0,
    }
  },

  async *kills({ kills }) {
    for await (const { name, options } of deployments()) {
      const { acknowledgedWrites, deliveries, restartsMs, faults } = await killUnderLoad(options, kills)
      const slowest = Math.max(...restartsMs)
      const late = restartsMs.filter((ms) => ms > HEALTHY_MS).length
      yield {
        what: `kill -9 × ${kills}, ${name}`,
        seen: `${acknowledgedWrites} writes and ${deliveries} deliveries: ${firstOf(faults)}; slowest start ${Math.round(slowest)} ms, ${late} over ${HEALTHY_MS} ms`,
        isWell: faults.length === 0 && late === 0,
      }
    }
  },
  async *deliveries({ approvals, waiters }) {
    for await (const { name, options } of deployments()) {
      await using deployment = await Deployment.start(options)
      const bundle = await makeSharedBundle(deployment.address)
      const addresses: RaceOptions['addresses'] = [deployment.address]
      const totals = { once: 0, otherwise: 0 }
      for (let left = approvals; left > 0; left -= APPROVALS_AT_ONCE) {
        const race = { addresses, bundle, approvals: Math.min(left, APPROVALS_AT_ONCE), waiters }
        const { deliveredTimes, approvedTimes, wrong } = await raceForDeliveries(race)
        const once = Math.min(deliveredTimes[1] ?? 0, approvedTimes[1] ?? 0)
        totals.once += once
        totals.otherwise += race.approvals - once + wrong
      }
      yield {
        what: `${approvals} approvals × ${waiters} waiters, ${name}`,
        seen: `${totals.once} delivered exactly once, ${totals.otherwise} otherwise`,
        isWell: totals.otherwise === 0,
      }
    }
  },
  async *revocations({ revocations }) {
    for await (const { name, options } of deployments()) {
      await using deployment = await Deployment.start(options)
      const bundle = await makeSharedBundle(deployment.address)
      const addresses: RaceOptions['addresses'] = [deployment.address]
      const { delivered, refused, late, unclear } = await raceRevocations({ addresses, bundle, revocations })
      yield {
        what: `${revocations} revocations under load, ${name}`,
        seen: `${delivered} delivered before, ${refused} refused after, late: ${firstOf(late)}, unclear: ${firstOf(unclear)}`,
        isWell: late.length === 0 && unclear.length === 0,
      }
    }
  },
  async *disk() {
    using disk = smallDisk()
    const onDisk = disk ? { fault: fullDisk(disk), dataDir: disk.dataDir } : null
    const traced = [failingCalls('fsync,fdatasync', 'EIO'), failingCalls('pwrite64', 'ENOSPC')]
    const faults: { fault: DiskFault | null; dataDir?: string }[] = traced.map((fault) => ({ fault }))
    for (const { fault, dataDir } of onDisk ? [onDisk, ...faults] : faults) {
      if (!fault) continue
      const result = await sufferDiskFault(fault, dataDir)
      const failures = result.answers.filter(({ status }) => status !== 201)
      const wrong = [...result.faults, ...unclearAnswers(failures, ANSWER_MS)]
      yield {
        what: fault.name,
        seen: `${failures.length} of ${result.answers.length} writes refused, recovered in ${Math.round(result.recoveredMs)} ms: ${firstOf(wrong)}`,
        isWell: wrong.length === 0 && failures.length > 0 && result.recoveredMs < DISK_RECOVERED_MS,
      }
    }
  },
  async *outages() {
    yield* sufferEach(storeOutages())
    yield* sufferEach(redisFailovers())
  },
  async *patroni() {
    for await (const outage of patroniFailovers()) {
      const { answers, recoveredMs, faults } = await sufferOutage(outage)
      const failed = answers.filter(({ status }) => status >= 500).length
      yield {
        what: outage.name,
        seen: `${failed} of ${answers.length} calls failed, recovered in ${Math.round(recoveredMs)} ms: ${firstOf(faults)}`,
        isWell: faults.length === 0 && recoveredMs < FAILED_OVER_MS,
      }
    }
  },
  async *clock() {
    for await (const { name, options } of deployments()) {
      const { deliveredMs, faults } = await stepClocks(options)
      yield {
        what: `clock stepped by an hour each way, ${name}`,
        seen: `delivered within ${Math.round(Math.max(...deliveredMs))} ms of each step: ${firstOf(faults)}`,
        isWell: faults.length === 0 && Math.max(...deliveredMs) < STEPPED_MS,
      }
    }
  },
  async *slow({ idle }) {
    await using deployment = await Deployment.start({ processes: 'all' })
    const slow = { idle, dripping: 200, calls: 2_000 }
    const { answers, p99Ms, stillOpen } = await besetBySlowClients(deployment.address, slow)
    const failed = answers.filter(({ status }) => status !== 200).length
    yield {
      what: `${idle} idle connections, 200 dripped headers, 200 dripped bodies`,
      seen: `p99 of others ${Math.round(p99Ms)} ms, ${failed} failed, ${stillOpen} connections open`,
      isWell: failed === 0 && p99Ms < SLOW_P99_MS && stillOpen >= idle,
    }
  },
  async *large() {
    const { status, growthMiB, others, delivered } = await approveTooMuch(LARGE_VALUES)
    const failed = others.filter((answer) => answer.status !== 200).length
    yield {
      what: `one approval of ${LARGE_VALUES} values of 64 KiB`,
      seen: `answered ${status}, memory grew by ${Math.round(growthMiB)} MiB, ${failed} other calls failed, ${delivered} values delivered afterwards`,
      isWell: status === 413 && growthMiB < LARGE_GROWTH_MIB && failed === 0 && delivered === 9,
    }
  },
  async *junk() {
    const kinds: readonly JunkKind[] = ['junk', 'half a head', 'half a body']
    for (const kind of kinds) {
      const { before, open, after } = await sendJunk(kind, JUNK_CONNECTIONS, JUNK_ENDS_MS)
      yield {
        what: `${JUNK_CONNECTIONS} connections that send ${kind} and never close`,
        seen: `${before} open files before, ${open} with them, ${after} afterwards`,
        isWell: after <= before,
      }
    }
  },
  async *stored() {
    const { statuses, oversized, others, growthMiB } = await storeRequests(20, 150)
    const failed = others.filter(({ status }) => status !== 200).length
    yield {
      what: '20 addresses store requests of 32 KiB, with room for 150',
      seen: `${JSON.stringify(statuses)}, one of 754 KiB ${oversized}, ${failed} other calls failed, memory grew by ${Math.round(growthMiB)} MiB`,
      isWell: statuses[201] === 150 && oversized === 413 && failed === 0,
    }
  },
  async *fuzz({ fuzz }) {
    fuzzEnvText(fuzz)
    yield { what: `ENV text, ${fuzz} maps and ${fuzz} texts`, seen: 'all read back or refused', isWell: true }
    for (const kind of hasPostgres() ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)) {
      await fuzzApi(kind, fuzz)
      yield {
        what: `${fuzz} generated calls of the API, ${kind}`,
        seen: 'all answered as the table says',
        isWell: true,
      }
    }
    await using deployment = await Deployment.start({ processes: 'all' })
    const { statuses, wrong } = await fuzzHttp(deployment.address, fuzz)
    yield {
      what: `${fuzz} mutated requests`,
      seen: `${JSON.stringify(statuses)}: ${firstOf(wrong)}`,
      isWell: wrong.length === 0,
    }
  },
  async *soak({ soakMinutes }) {
    const result = await soak({ processes: 'all', minutes: soakMinutes })
    const { early, late, memoryGrowth, handleGrowth } = result
    const seen = `${early.memoryMiB.toFixed(0)} → ${late.memoryMiB.toFixed(0)} MiB, ${early.handles} → ${late.handles} handles`
    yield {
      what: `soak of ${soakMinutes} minutes`,
      seen: `${result.acknowledgedWrites} writes, ${result.deliveries} deliveries, ${seen}`,
      isWell: memoryGrowth <= GROWTH && handleGrowth <= GROWTH,
    }
  },
}

const worseOf = ({ delivered, afterPruning }: { delivered: string; afterPruning: string }) =>
  delivered.endsWith(DELIVERED) ? afterPruning : delivered
