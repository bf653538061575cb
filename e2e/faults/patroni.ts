import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { kill } from 'node:process'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@keyferry/plumbing/free-port'
import { Client } from 'pg'
import type { Outage } from './outages.ts'

const EXAMPLE = readFileSync(join(import.meta.dirname, '../../deploy/patroni/patroni.yml'), 'utf8')
const NAMES = ['db-1', 'db-2', 'db-3']
const READY_MS = 90_000

type Member = {
  name: string
  port: number
  rest: number
  start: () => ChildProcess
  process: ChildProcess
  folder: string
}

const FAILOVERS = {
  switchover,
  'kill -9 of the leader while its standbys lag': killLeaderOfLagging,
  'kill -9 of the leader': killLeader,
} as const

/** Failovers of three PostgreSQL servers that Patroni looks after with the configuration of deploy/patroni; none where
 * Patroni, etcd or the user postgres is missing. */
export async function* patroniFailovers(): AsyncGenerator<Outage> {
  if (spawnSync('patroni', ['--version']).error || spawnSync('etcd', ['--version']).error) return
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-patroni-'))
  chmodSync(folder, 0o755)
  const etcd = await startEtcd(folder)
  const members = await startMembers(folder, etcd.url)
  try {
    await until(async () => (await roles(members)).filter((role) => role === 'sync_standby').length > 0)
    for (const [name, begin] of Object.entries(FAILOVERS)) {
      members.filter((member) => !isRunning(member)).forEach(run)
      const stores = { databaseUrl: await newDatabase(members, name) }
      yield {
        name: `Patroni: ${name}`,
        stores,
        needs: 'database',
        begin: () => begin(members),
        end: async () => {},
      }
    }
  } finally {
    for (const member of members) await killAll(member)
    etcd.process.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  }
}

async function startEtcd(folder: string) {
  const url = `http://127.0.0.1:${await freePort()}`
  const peer = `http://127.0.0.1:${await freePort()}`
  const peers = [
    '--initial-advertise-peer-urls',
    peer,
    '--listen-peer-urls',
    peer,
    '--initial-cluster',
    `default=${peer}`,
  ]
  const clients = ['--listen-client-urls', url, '--advertise-client-urls', url]
  const process = spawn('etcd', ['--data-dir', join(folder, 'etcd'), ...clients, ...peers], {
    stdio: 'ignore',
  })
  return { url, process }
}

async function startMembers(folder: string, etcdUrl: string): Promise<Member[]> {
  const [uid, gid] = ['-u', '-g'].map((which) => Number(execFileSync('id', [which, 'postgres'])))
  return await Promise.all(
    NAMES.map(async (name) => {
      const [port, rest, own] = [await freePort(), await freePort(), join(folder, name)]
      mkdirSync(own, { mode: 0o700 })
      chownSync(own, uid ?? 0, gid ?? 0)
      const config = EXAMPLE.replace('name: db-1', `name: ${name}`)
        .replaceAll('10.0.0.11:8008', `127.0.0.1:${rest}`)
        .replaceAll('10.0.0.11:5432', `127.0.0.1:${port}`)
        .replaceAll('10.0.0.0/24', '127.0.0.1/32')
        .replace(/hosts: .*/, `hosts: ${new URL(etcdUrl).host}`)
        .replace(/data_dir: .*/, `data_dir: ${own}/data\n  parameters: { unix_socket_directories: ${own} }`)
      writeFileSync(`${own}.yml`, config)
      const options = { stdio: 'ignore', uid, gid, cwd: own, env: { ...process.env, HOME: own } } as const
      const start = () => spawn('patroni', [`${own}.yml`], options)
      return { name, port, rest, start, process: start(), folder: own }
    }),
  )
}

function run(member: Member): void {
  member.process = member.start()
}

async function roles(members: readonly Member[]): Promise<string[]> {
  const asked = members.map(async ({ rest }) => {
    const answer = await fetch(`http://127.0.0.1:${rest}/cluster`)
    return (await answer.json()) as { members: { name: string; role: string; state: string }[] }
  })
  const ready = (await Promise.any(asked)).members.filter(({ state }) => /running|streaming/.test(state))
  return members.map(({ name }) => ready.find((member) => member.name === name)?.role ?? 'none')
}

async function leaderOf(members: readonly Member[]): Promise<Member> {
  const leader = members[(await roles(members)).indexOf('leader')]
  if (!leader) throw new Error('no leader')
  return leader
}

async function until(isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_MS
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > deadline) throw new Error('Patroni did not get ready')
    await sleep(250)
  }
}

const at = (hosts: string, path: string) => `postgres://postgres:change-me@${hosts}/${path}`

async function newDatabase(members: readonly Member[], name: string): Promise<string> {
  await until(async () => {
    const found = await roles(members)
    return found.includes('sync_standby') && !found.includes('none')
  })
  const database = `keyferry_${name.replaceAll(/\W/g, '')}`
  await answerOf(await leaderOf(members), `create database ${database}`)
  return at(members.map(({ port }) => `127.0.0.1:${port}`).join(','), database)
}

async function switchover(members: readonly Member[]): Promise<void> {
  const { name, rest } = await leaderOf(members)
  const body = JSON.stringify({ leader: name })
  const answer = await fetch(`http://127.0.0.1:${rest}/switchover`, { method: 'POST', body })
  if (!answer.ok) throw new Error(await answer.text())
}

async function killLeader(members: readonly Member[]): Promise<void> {
  await killAll(await leaderOf(members))
}

// What a standby has written but not applied is applied when it is promoted.
async function killLeaderOfLagging(members: readonly Member[]): Promise<void> {
  const leader = await leaderOf(members)
  const standbys = members.filter((member) => member !== leader && isRunning(member))
  await Promise.all(standbys.map((standby) => answerOf(standby, 'select pg_wal_replay_pause()')))
  const lagging = `select pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn() as "is"`
  await until(async () =>
    (await Promise.all(standbys.map((each) => answerOf(each, lagging)))).every((row) => row['is'] === true),
  )
  await killAll(leader)
}

async function answerOf({ port }: Member, statement: string): Promise<Record<string, unknown>> {
  const client = new Client(at(`127.0.0.1:${port}`, 'postgres'))
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows[0] ?? {}
  } finally {
    await client.end()
  }
}

const isRunning = ({ process }: Member) => process.exitCode === null && process.signalCode === null

// PostgreSQL is no child of Patroni, and ends its own children when it is gone.
async function killAll(member: Member): Promise<void> {
  if (!isRunning(member)) return
  const { process, folder } = member
  const ended = once(process, 'exit')
  process.kill('SIGKILL')
  await ended
  const [postmaster = ''] = readFileSync(join(folder, 'data/postmaster.pid'), 'utf8').split('\n')
  kill(Number(postmaster), 'SIGKILL')
}
