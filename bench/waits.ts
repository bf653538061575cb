import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from '@keyferry/contract/client'
import { startApi } from './contenders.ts'
import { makeBundle } from './library.ts'
import { startMachineWorld } from './machine-world.ts'
import { type Benchmark, type Measurement, median, shown, within } from './measurement.ts'
import { newPeer, PUBLIC_KEY } from './open-waits.ts'
import { stages } from './stages.ts'

const WAITS = 6
const CALLS = 7
const TIMES = 20
/** Longer than the chain writer waits: what it does is not counted. */
const QUIET_MS = 300
/** Answers take so long, so that all that is sent without a wait is on its way before the first of them. */
const FAR_MS = 10

/** How often one call waits for PostgreSQL and for Redis: a proxy before each counts how often the server answers. */
export const waits: Benchmark = async () => {
  for await (const { forApi } of stages()) {
    const { databaseUrl, redisUrl } = forApi
    if (databaseUrl === undefined || redisUrl === undefined) continue
    const [postgres, redis] = await Promise.all([counted(databaseUrl), counted(redisUrl)])
    const env = { ALLOW_PRIVATE_TARGETS: '127.0.0.1/32' }
    const api = await startApi({ databaseUrl: postgres.url, redisUrl: redis.url }, { env })
    const library = await makeBundle(api.owner, 'waits', 10)
    const world = await startMachineWorld(api, 1)
    const acts = {
      'create a key': async () => {
        const body = { name: `K${process.hrtime.bigint()}`, value: 'x' }
        await api.owner.call('POST', '/api/v1/keys', { body })
      },
      'deliver 20 keys to a machine': async () => {
        const { path, vary } = world.byToken
        const { headers = {}, body = '' } = vary?.() ?? {}
        const init = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } }
        const answer = await fetch(`${api.address}${path}`, init)
        if (!answer.ok) throw new Error(await answer.text())
      },
      'a whole delivery of 10 keys': async () => {
        const call = createClient(api.address)
        const headers = { 'x-forwarded-for': newPeer() }
        const { id } = await call('POST', '/api/v1/requests', {
          body: { client_pubkey: PUBLIC_KEY },
          headers,
        })
        const params = { request_id: id }
        const body = { bundle_id: library.bundleId, include_keys: [...library.names] }
        await api.owner.call('POST', '/api/v1/requests/{request_id}/encrypt-from-bundle', { params, body })
        await call('GET', '/api/v1/requests/{request_id}/wait', { params, headers })
      },
    }
    const measurements: Measurement[] = []
    for (const [what, act] of Object.entries(acts)) {
      const seen: { postgres: number; redis: number }[] = []
      for (let time = 0; time < TIMES; time++) {
        await sleep(QUIET_MS)
        const before = { postgres: postgres.answers(), redis: redis.answers() }
        await act()
        seen.push({ postgres: postgres.answers() - before.postgres, redis: redis.answers() - before.redis })
      }
      const of = (server: 'postgres' | 'redis') => median(seen.map((each) => each[server]))
      const figures = { what, subject: '', baseline: '' }
      const isWhole = what.includes('whole')
      const figure = (value: number, bound: number, unit: string) =>
        isWhole ? within({ value, bound, unit }, figures) : shown(`${value} ${unit}`, figures)
      measurements.push(
        figure(of('postgres'), WAITS, 'waits for PostgreSQL'),
        figure(of('redis'), CALLS, 'for Redis'),
      )
    }
    world.stop()
    await api.stop('SIGKILL')
    postgres.close()
    redis.close()
    return measurements
  }
  return []
}

type Counted = { readonly url: string; readonly answers: () => number; readonly close: () => void }

/** An answer is what comes after something was sent, however many packets either takes. */
async function counted(target: string): Promise<Counted> {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  let answers = 0
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    let isAsked = false
    near.on('data', (bytes) => {
      isAsked = true
      far.write(bytes)
    })
    const answer = (bytes: Buffer) => {
      if (isAsked) answers++
      isAsked = false
      near.write(bytes)
    }
    far.on('data', (bytes) => setTimeout(() => answer(bytes), FAR_MS))
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => other.destroy()).on('close', () => other.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = new URL(target)
  url.host = `127.0.0.1:${typeof address === 'object' ? address?.port : ''}`
  return {
    url: url.href,
    answers: () => answers,
    close: () => {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}
