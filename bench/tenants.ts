import { randomUUID } from 'node:crypto'
import { formatRootKey, generateRootKey } from '@keyferry/crypto/root-key'
import { ownerNamed } from '../e2e/signed-client.ts'
import { type ApiProcess, SECRET, startApi } from './contenders.ts'
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

const TENANTS = 32
const CALLERS = 16
const TARGET = 0.9

/** Creations for one workspace on two nodes, beside the same load for 32: nothing of a workspace may make its writers
 * wait for each other. On PostgreSQL only, because SQLite has one writer anyway. */
export const tenants: Benchmark = async (options) => {
  const measurements: Measurement[] = []
  for await (const { name, forApi } of stages()) {
    if (forApi.databaseUrl === undefined) continue
    const place = { ...forApi, rootKey: formatRootKey(generateRootKey()) }
    const nodes = [await startApi(place), await startApi(place)]
    try {
      measurements.push(await compare(nodes, name, options))
    } finally {
      await Promise.all(nodes.map((node) => node.stop('SIGKILL')))
    }
  }
  return measurements
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
  const owners = await Promise.all(
    Array.from({ length: count }, () =>
      ownerNamed(`t${randomUUID().slice(0, 8)}`, node?.address ?? '', SECRET),
    ),
  )
  let next = 0
  const vary = () => ({
    headers: owners[next++ % count]?.headers ?? {},
    body: JSON.stringify({ name: `K_${randomUUID().replaceAll('-', '_')}`, value: 'x'.repeat(40) }),
  })
  return { method: 'POST', path: '/api/v1/keys', vary }
}
