import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from '../src/free-port.ts'
import { hasRedis, type OwnRedis, startRedis } from './redis-server.ts'

const run = promisify(execFile)
const MASTERS = 3

/** A Redis Cluster of three masters on loopback; `null` if redis-server is not installed. */
export async function ownRedisCluster(): Promise<{ urls: string[]; stop(): Promise<void> } | null> {
  if (!hasRedis()) return null
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-cluster-'))
  const servers = await Promise.all(Array.from({ length: MASTERS }, (_, n) => startMaster(folder, n)))
  const urls = servers.map(({ url }) => url)
  const hosts = urls.map((url) => new URL(url).host)
  await run('redis-cli', ['--cluster', 'create', ...hosts, '--cluster-replicas', '0', '--cluster-yes'])
  await Promise.all(hosts.map(untilWhole))
  const stop = async () => {
    await Promise.all(servers.map((server) => server.stop()))
    rmSync(folder, { recursive: true })
  }
  return { urls, stop }
}

async function startMaster(folder: string, number: number): Promise<OwnRedis> {
  const busPort = String(await freePort())
  const config = join(folder, `nodes-${number}.conf`)
  return await startRedis(
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    busPort,
    '--cluster-config-file',
    config,
  )
}

async function untilWhole(host: string): Promise<void> {
  const { hostname, port } = new URL(`redis://${host}`)
  for (let attempt = 0; attempt < 300; attempt++) {
    const { stdout } = await run('redis-cli', ['-h', hostname, '-p', port, 'cluster', 'info'])
    if (stdout.includes('cluster_state:ok')) return
    await sleep(50)
  }
  throw new Error('the cluster did not form')
}
