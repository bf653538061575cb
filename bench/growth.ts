import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { signedClient } from '../e2e/signed-client.ts'
import { administer } from '../plumbing/test/postgres.ts'
import { type ApiProcess, SECRET, startApi, temporaryFolder } from './contenders.ts'
import { growLibrary, type Sample, type Size } from './grown-library.ts'
import type { LoadCall } from './load.ts'
import { type Benchmark, type BenchOptions, type Measurement, rounded, within } from './measurement.ts'
import { type Stage, stages } from './stages.ts'
import { inTurns } from './turns.ts'

const SMALL_KEYS = 1_000
const KEYS_OF_A_TENANT = 100
const FLAT = 1.5

type Grown = { api: ApiProcess; samples: readonly Sample[] }
type Read = { readonly name: string; readonly path: (sample: Sample) => string }

const READS: readonly Read[] = [
  { name: 'one key', path: ({ keyId }) => `/api/v1/keys/${keyId}` },
  { name: 'one bundle', path: ({ bundleId }) => `/api/v1/bundles/${bundleId}` },
  { name: 'first page of keys', path: () => '/api/v1/keys?limit=50' },
  { name: 'first page of bundles', path: () => '/api/v1/bundles?limit=50' },
]

/** Reads of a large library beside the same reads of one with 1,000 keys: many tenants of 100 keys each, and one tenant
 * with a tenth of the keys. */
export const growth: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for (const [shape, small, large] of shapes(options.keys))
    for await (const stage of stages()) {
      const grown = await grow(stage, large)
      const fresh = await grow({ ...stage, forApi: { ...stage.forApi, ...otherDatabase(stage) } }, small)
      for (const read of READS)
        measurements.push(
          await compare({ what: `${read.name}, ${shape}, ${stage.name}`, read, grown, fresh }, options),
        )
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
  return { api: await startApi({ ...forApi, rootKey }, { dataDir }), samples }
}

async function compare(
  { what, read, grown, fresh }: { what: string; read: Read; grown: Grown; fresh: Grown },
  options: BenchOptions,
): Promise<Measurement> {
  const contender = ({ api, samples }: Grown) => ({
    address: api.address,
    pids: [api.pid],
    call: readCall(read, api, samples),
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

function readCall(read: Read, api: ApiProcess, samples: readonly Sample[]): LoadCall {
  const calls = samples.map((sample) => ({
    path: read.path(sample),
    headers: { ...signedClient(api.address, SECRET, sample).headers },
  }))
  let next = 0
  const vary = () => calls[next++ % calls.length] ?? {}
  return { path: '/', vary }
}
