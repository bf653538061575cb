import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { CallError, createClient } from '@keyferry/contract/client'
import { LIMITS } from '@keyferry/contract/limits'
import { generateKeyPair } from '@keyferry/crypto/key-pair'
import { residentMiB } from '../node-process.ts'
import { Deployment } from './deployment.ts'
import { TerminalClient } from './terminal-client.ts'
import { posting, type TimedAnswer, timedAnswer } from './timed-answers.ts'

/*
 * What an outsider or a member could do to stop a server: approve more than fits into its memory, use up its file
 * descriptors with junk, and fill its store with requests.
 */

const IMPORTED_AT_ONCE = 28

/** Fill a bundle with values of the largest size and approve all of them at once.
 * @returns `status`: of that approval; `growthMiB`: of the server's memory; `others`: what other callers got during
 *   the attack; `delivered`: how many values a small approval delivered afterwards */
export async function approveTooMuch(values: number) {
  await using deployment = await Deployment.start({ processes: 'all' })
  const call = createClient(deployment.address)
  const names = Array.from({ length: values }, (_, index) => `V${index}`)
  for (let from = 0; from < values; from += IMPORTED_AT_ONCE) {
    const entries = names.slice(from, from + IMPORTED_AT_ONCE).map((name) => ({ name, value: largest() }))
    await call('POST', '/api/v1/imports', { body: { bundle: 'large', entries } })
  }
  const [bundle] = await call('GET', '/api/v1/bundles')
  const bundleId = bundle?.id ?? ''
  const client = new TerminalClient(deployment.address)
  const requestId = await client.ask()
  const { pid } = deployment.member('all')
  const before = residentMiB(pid)
  const [status, others] = await Promise.all([
    statusOf(client.approve(requestId, { bundleId, names })),
    timedCalls(deployment.address),
  ])
  const growthMiB = residentMiB(pid) - before
  await client.approve(requestId, { bundleId, names: names.slice(0, 9) })
  const delivered = Object.keys(JSON.parse((await client.wait(requestId)) ?? '{}')).length
  return { status, growthMiB, others, delivered }
}

function largest(): string {
  return randomBytes(LIMITS.valueBytes / 2).toString('hex')
}

async function statusOf(answer: Promise<unknown>): Promise<number> {
  try {
    await answer
    return 200
  } catch (error) {
    return error instanceof CallError ? error.status : 0
  }
}

const CALLS = 20

async function timedCalls(address: string): Promise<TimedAnswer[]> {
  const answers: TimedAnswer[] = []
  for (let count = 0; count < CALLS; count++) answers.push(await timedAnswer(`${address}/api/v1/bundles`))
  return answers
}

const HOST = 'Host: 127.0.0.1\r\n'

/** What junk connections send before they say nothing more. */
const JUNK = {
  junk: 'junk\r\n\r\n',
  'half a head': `GET / HTTP/1.1\r\n${HOST}`,
  'half a body': `POST /api/v1/requests HTTP/1.1\r\n${HOST}Content-Type: application/json\r\nContent-Length: 900\r\n\r\n{`,
} as const

export type JunkKind = keyof typeof JUNK

const LOOK_MS = 100

/** Open connections that send junk and never close their side, and count the server's file descriptors.
 * @returns `files`: before, with the connections, and when they were fewest again within the time */
export async function sendJunk(kind: JunkKind, connections: number, withinMs: number) {
  await using deployment = await Deployment.start({ processes: 'all' })
  const { pid } = deployment.member('all')
  const files = () => readdirSync(`/proc/${pid}/fd`).length
  // The first call opens what the server keeps open.
  await timedAnswer(`${deployment.address}/api/v1/bundles`)
  await sleep(LOOK_MS)
  const before = files()
  const sockets = await openHalf(deployment.address, connections, JUNK[kind])
  const open = files()
  const deadline = Date.now() + withinMs
  while (files() > before && Date.now() < deadline) await sleep(LOOK_MS)
  const after = files()
  for (const socket of sockets) socket.destroy()
  return { before, open, after }
}

async function openHalf(address: string, count: number, text: string): Promise<Socket[]> {
  const { hostname: host, port } = new URL(address)
  return await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ port: Number(port), host, allowHalfOpen: true }).on('error', ignore)
      await once(socket, 'connect')
      socket.write(text)
      return socket
    }),
  )
}

function ignore(): void {
  // A server that ends a junk connection is right to.
}

const TRIES = 12
const FILLER_BYTES = LIMITS.requestBodyBytes - 300

/** Store as many requests of the largest size as each of many addresses can, then one of 754 KiB.
 * @returns how often each status was answered; `oversized`: the status of the last one; `others`: what callers with
 *   other calls got afterwards; `growthMiB`: of the server's memory */
export async function storeRequests(addresses: number, bound: number) {
  const env = { MAX_LIVE_REQUESTS: String(bound) }
  await using deployment = await Deployment.start({ processes: 'all', env })
  const { pid } = deployment.member('all')
  const before = residentMiB(pid)
  const ask = async (from: string, filler: number) =>
    await timedAnswer(`${deployment.address}/api/v1/requests`, asking(from, filler))
  const statuses: Record<number, number> = {}
  for (let from = 1; from <= addresses; from++) {
    for (let count = 0; count < TRIES; count++) {
      const { status } = await ask(`10.9.8.${from}`, FILLER_BYTES)
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  const oversized = (await ask('10.9.7.1', 754 * 1_024)).status
  const others = await timedCalls(deployment.address)
  return { statuses, oversized, others, growthMiB: residentMiB(pid) - before }
}

function asking(from: string, filler: number): RequestInit {
  const client_pubkey = Buffer.from(generateKeyPair().publicKey).toString('base64')
  const { headers, ...init } = posting({ client_pubkey, ignored: 'x'.repeat(filler) })
  return { ...init, headers: { ...Object.fromEntries(new Headers(headers)), 'x-forwarded-for': from } }
}
