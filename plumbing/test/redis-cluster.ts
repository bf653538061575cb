import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../src/free-port.ts'
import { hasRedis, type OwnRedis, startRedis } from './redis-server.ts'
import { until } from './until.ts'

const run = promisify(execFile)
const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/scaling.md'), 'utf8')
const ACCOUNT = /^user keyferry .*$/m.exec(DOCUMENT)?.[0].split(' ').slice(1) ?? []
const DOWN_MS = '1000'
const MASTER = 'keyferry'
const REPLICATION = ['info', 'replication']

/** Several servers of which one takes over when another is gone. */
export type RedisServers = {
  /** What REDIS_URL says. */
  url: string
  servers: readonly OwnRedis[]
  /** The server that has this key now. */
  masterOf(key: string): Promise<OwnRedis>
  stop(): Promise<void>
}

/** A Redis Cluster of three masters and three replicas on loopback; `null` if redis-server is not installed. */
export async function ownRedisCluster(): Promise<RedisServers | null> {
  if (!hasRedis()) return null
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-cluster-'))
  const servers = await Promise.all(Array.from({ length: 6 }, (_, n) => startNode(folder, n)))
  const hosts = servers.map(({ url }) => new URL(url).host)
  await run('redis-cli', ['--cluster', 'create', ...hosts, '--cluster-replicas', '1', '--cluster-yes'])
  await Promise.all(servers.map((server) => untilAnswered(server, ['cluster', 'info'], /cluster_state:ok/)))
  // A replica without a copy cannot take over.
  await Promise.all(
    servers.map((server) => untilAnswered(server, REPLICATION, /state=online|link_status:up/)),
  )
  const masterOf = async (key: string) => {
    const living = servers.find((server) => server.isRunning()) ?? servers[0]
    const slot = Number(await ask(living, ['cluster', 'keyslot', key]))
    const lines = (await ask(living, ['cluster', 'nodes'])).split('\n')
    const line = lines.find((each) => hasSlot(each, slot)) ?? ''
    return serverAt(servers, /:(\d+)@/.exec(line)?.[1])
  }
  return {
    url: `redis://keyferry:a-password@${hosts.join(',')}`,
    servers,
    masterOf,
    stop: stopAll(servers, folder),
  }
}

/** A master with two replicas and three sentinels; `null` if redis-server is not installed. */
export async function ownRedisSentinels(): Promise<RedisServers | null> {
  if (!hasRedis()) return null
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-sentinels-'))
  const master = await startData()
  const replica = () => startData('--replicaof', '127.0.0.1', String(master.port))
  const servers = [master, await replica(), await replica()]
  await untilAnswered(master, REPLICATION, /(state=online.*){2}/s)
  const sentinels = await Promise.all([0, 1, 2].map((n) => startSentinel(join(folder, `${n}.conf`), master)))
  const known = ['sentinel', 'master', MASTER]
  await Promise.all(sentinels.map((each) => untilAnswered(each, known, /num-slaves\n2\n.*\n2\n/s)))
  const masterOf = async () => {
    const named = await ask(sentinels[0], ['sentinel', 'get-master-addr-by-name', MASTER])
    return serverAt(servers, named.split('\n')[1])
  }
  const hosts = sentinels.map(({ url }) => new URL(url).host)
  const url = `redis+sentinel://keyferry:a-password@${hosts.join(',')}/${MASTER}`
  return { url, servers, masterOf, stop: stopAll([...sentinels, ...servers], folder) }
}

// With the account that is documented.
function startData(...settings: string[]): Promise<OwnRedis> {
  return startRedis('--user', ...ACCOUNT, ...settings)
}

async function startNode(folder: string, number: number): Promise<OwnRedis> {
  const bus = ['--cluster-port', String(await freePort())]
  const config = ['--cluster-config-file', join(folder, `nodes-${number}.conf`)]
  return await startData('--cluster-enabled', 'yes', '--cluster-node-timeout', DOWN_MS, ...bus, ...config)
}

async function startSentinel(file: string, { port }: OwnRedis): Promise<OwnRedis> {
  const rules = [
    ['monitor', `127.0.0.1 ${port} 2`],
    ['down-after-milliseconds', DOWN_MS],
    ['failover-timeout', '5000'],
  ]
  writeFileSync(file, rules.map(([rule, value]) => `sentinel ${rule} ${MASTER} ${value}\n`).join(''))
  return await startRedis(file, '--sentinel')
}

function stopAll(servers: readonly OwnRedis[], folder: string): () => Promise<void> {
  return async () => {
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(folder, { recursive: true })
  }
}

function hasSlot(line: string, slot: number): boolean {
  if (!/ (myself,)?master /.test(line)) return false
  const ranges = line.split(' ').slice(8)
  return ranges.map((range) => range.split('-').map(Number)).some(([a = 0, b = a]) => a <= slot && slot <= b)
}

function serverAt(servers: readonly OwnRedis[], port: string | undefined): OwnRedis {
  const found = servers.find((server) => String(server.port) === port)
  if (!found) throw new Error(`no server on port ${port}`)
  return found
}

async function ask(server: OwnRedis | undefined, words: readonly string[]): Promise<string> {
  return (await run('redis-cli', ['-p', String(server?.port), ...words])).stdout
}

async function untilAnswered(server: OwnRedis, words: readonly string[], answer: RegExp): Promise<void> {
  await until(`${answer} from ${words.join(' ')}`, async () => answer.test(await ask(server, words)))
}
