import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { signedClient } from '../e2e/signed-client.ts'
import { administer } from '../plumbing/test/postgres.ts'
import { type ApiProcess, SECRET, startApi, temporaryFolder } from './contenders.ts'
import { growLibrary, type Sample, type Size } from './grown-library.ts'
import type { LoadCall } from './load.ts'
import { type Benchmark, type BenchOptions, type Measurement, rounded, within } from './measurement.ts'
import { PEOPLE, type Person, peopleOf } from './people.ts'
import { type Stage, stages } from './stages.ts'
import { inTurns } from './turns.ts'

const SMALL_KEYS = 1_000
const KEYS_OF_A_TENANT = 100
const FLAT = 1.5

/** Workspaces that members and limited members read. */
const JOINED = 10

type Reading = { sample: Sample; headers: Readonly<Record<string, string>> }
type Grown = { api: ApiProcess; readings: Readonly<Record<Person, readonly Reading[]>> }
type Read = { readonly name: string; readonly path: (sample: Sample) => string }

const READS: readonly Read[] = [
  { name: 'one key', path: ({ keyId }) => `/api/v1/keys/${keyId}` },
  { name: 'one bundle', path: ({ bundleId }) => `/api/v1/bundles/${bundleId}` },
  { name: 'first page of keys', path: () => '/api/v1/keys?limit=50' },
  { name: 'first page of bundles', path: () => '/api/v1/bundles?limit=50' },
]

/** Reads of a large library beside the same reads of one with 1,000 keys: many tenants of 100 keys each, and one tenant
 * with a tenth of the keys. As owners, members and limited members, who reach one bundle. */
export const growth: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for (const [shape, small, large] of shapes(options.keys))
    for await (const stage of stages()) {
      const grown = await grow(stage, large)
      const fresh = await grow({ ...stage, forApi: { ...stage.forApi, ...otherDatabase(stage) } }, small)
      for (const person of PEOPLE)
        for (const read of READS) {
          const what = `${read.name} as ${person}, ${shape}, ${stage.name}`
          measurements.push(await compare({ what, read, person, grown, fresh }, options))
        }
      await Promise.all([grown.api.stop('SIGKILL'), fresh.api.stop('SIGKILL')])
    }
  return measurements
}

function shapes(keys: number): [string, Size, Size][] {
  const tenth = Math.ceil(keys / 10)
  return [
    [`${rounded(keys)} keys`, manyTenants(SMALL_KEYS), manyTenants(keys)],
    [`${rounded(tenth)} keys in one tenant`, oneTenant(SMALL_KEYS), oneTenant(tenth)],
  ]
}

function manyTenants(keys: number): Size {
  return { tenants: keys / KEYS_OF_A_TENANT, keysEach: KEYS_OF_A_TENANT, bundlesEach: 10 }
}

function oneTenant(keys: number): Size {
  return { tenants: 1, keysEach: keys, bundlesEach: keys / 10 }
}

function otherDatabase({ forBare }: Stage) {
  return forBare === undefined ? {} : { databaseUrl: forBare }
}

async function grow({ forApi }: Stage, size: Size): Promise<Grown> {
  const rootKey = formatRootKey(generateRootKey())
  const dataDir = temporaryFolder()
  const databaseUrl = forApi.databaseUrl ?? null
  const samples = await growLibrary({ databaseUrl, dataDir, rootKey }, size)
  if (databaseUrl !== null) await administer(databaseUrl, 'vacuum analyze')
  const api = await startApi({ ...forApi, rootKey }, { dataDir })
  return { api, readings: await readingsOf(api, samples) }
}

async function readingsOf(api: ApiProcess, samples: readonly Sample[]): Promise<Grown['readings']> {
  const owned = (sample: Sample) => signedClient(api.address, SECRET, sample)
  const readings: Record<Person, Reading[]> = {
    owner: samples.map((sample) => ({ sample, headers: { ...owned(sample).headers } })),
    member: [],
    'limited member': [],
  }
  const workspaces = new Map(samples.map((sample) => [sample.tenantId, sample]))
  for (const sample of [...workspaces.values()].slice(0, JOINED)) {
    const people = await peopleOf(api, owned(sample), [sample.bundleName])
    for (const person of ['member', 'limited member'] as const)
      readings[person].push({ sample, headers: { ...people[person].headers } })
  }
  return readings
}

type Compared = { what: string; read: Read; person: Person; grown: Grown; fresh: Grown }

async function compare(
  { what, read, person, grown, fresh }: Compared,
  options: BenchOptions,
): Promise<Measurement> {
  const contender = ({ api, readings }: Grown) => ({
    address: api.address,
    pids: [api.pid],
    call: readCall(read, readings[person]),
  })
  const turns = await inTurns({ subject: contender(grown), baseline: contender(fresh) }, options)
  const figures = {
    what,
    subject: `${rounded(turns.subject.perSecond)}/s`,
    baseline: `${rounded(turns.baseline.perSecond)}/s with ${rounded(SMALL_KEYS)}`,
  }
  const measurement = within({ value: 1 / turns.ratio, bound: FLAT, unit: 'times' }, figures)
  const byCore = `${rounded(1 / turns.coreRatio)} by processor time`
  return { ...measurement, figure: `${measurement.figure} (${byCore})` }
}

function readCall(read: Read, readings: readonly Reading[]): LoadCall {
  const calls = readings.map(({ sample, headers }) => ({ path: read.path(sample), headers }))
  let next = 0
  const vary = () => calls[next++ % calls.length] ?? {}
  return { path: '/', vary }
}
