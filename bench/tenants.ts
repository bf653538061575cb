import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { ownerNamed, type SignedClient } from '../e2e/signed-client.ts'
import { type ApiProcess, type Backends, SECRET, startApi } from './contenders.ts'
import { type LoadCall, load } from './load.ts'
import {
  type Benchmark,
  type BenchOptions,
  type Measurement,
  median,
  ratioOf,
  rounded,
} from './measurement.ts'
import { stages } from './stages.ts'
import { comparison, inTurns } from './turns.ts'

const TENANTS = 32
const CALLERS = 16
const TARGET = 0.9

const SPREAD = 1_000
const AT_ONCE = 32
const APPENDED_AFTER_MS = 3_000
const SPREAD_TARGET = 0.75

/** Creations spread over 1,000 workspaces, beside the same load for one: each workspace has its own log to append to.
 * And creations for one workspace on two nodes, beside the same load for 32: nothing of a workspace may make its
 * writers wait for each other. The latter on PostgreSQL only, because SQLite has one writer anyway. */
export const tenants: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const { name, forApi } of stages()) {
    const place = { ...forApi, rootKey: formatRootKey(generateRootKey()) }
    measurements.push(await spread(name, place, options))
    if (forApi.databaseUrl === undefined) continue
    const nodes = [await startApi(place), await startApi(place)]
    try {
      measurements.push(await compare(nodes, name, options))
    } finally {
      await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
    }
  }
  return measurements
}

async function spread(name: string, place: Backends, options: BenchOptions): Promise<Measurement> {
  const node = await startApi(place)
  try {
    const served = { address: node.address, pids: [node.pid] }
    const subject = { ...served, call: await creations([node], SPREAD) }
    const baseline = { ...served, call: await creations([node], 1) }
    await sleep(APPENDED_AFTER_MS)
    const what = `create keys spread over ${SPREAD} workspaces, ${name}`
    const turns = await inTurns({ subject, baseline }, options)
    return comparison({ what, beside: 'for one', target: SPREAD_TARGET }, turns)
  } finally {
    await node.stop('SIGKILL')
  }
}

async function compare(
  nodes: readonly ApiProcess[],
  name: string,
  { turns, seconds }: BenchOptions,
): Promise<Measurement> {
  const [one, many] = [await creations(nodes, 1), await creations(nodes, TENANTS)]
  const perSecond = async (call: LoadCall) => {
    const results = await Promise.all(
      nodes.map(({ address }) => load(address, call, { seconds, connections: CALLERS })),
    )
    return results.reduce((sum, result) => sum + result.perSecond, 0)
  }
  const results: { one: number; many: number }[] = []
  for (let turn = -1; turn < turns; turn++) {
    const result = { many: await perSecond(many), one: await perSecond(one) }
    if (turn >= 0) results.push(result)
  }
  return ratioOf(median(results.map((result) => result.one / result.many)), TARGET, {
    what: `create keys for one workspace, 2 nodes × ${CALLERS} callers, ${name}`,
    subject: `${rounded(median(results.map((result) => result.one)))}/s`,
    baseline: `${rounded(median(results.map((result) => result.many)))}/s for ${TENANTS} workspaces`,
  })
}

async function creations([node]: readonly ApiProcess[], count: number): Promise<LoadCall> {
  const owners: SignedClient[] = []
  while (owners.length < count) {
    const some = Array.from({ length: Math.min(AT_ONCE, count - owners.length) }, () =>
      ownerNamed(`t${randomUUID().slice(0, 8)}`, node?.address ?? '', SECRET),
    )
    owners.push(...(await Promise.all(some)))
  }
  let next = 0
  const vary = () => ({
    headers: owners[next++ % count]?.headers ?? {},
    body: JSON.stringify({ name: `K_${randomUUID().replaceAll('-', '_')}`, value: 'x'.repeat(40) }),
  })
  return { method: 'POST', path: '/api/v1/keys', vary }
}
