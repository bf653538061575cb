import { Readiness, TIMES } from '@keyferry/contract'
import { ALSO_HEAD, isEnding } from '@keyferry/plumbing/http-server'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import type { z } from 'zod'
import type { ApiConnection } from './internal-api/api-connection.ts'
import type { Sign } from './internal-api/signed-call.ts'

type HealthOptions = {
  version: string
  api: ApiConnection
  /** The session store; null: this mode has no sessions. */
  store: { ping(): Promise<void> } | null
  sign: Sign
  /** Epoch milliseconds. */
  now: () => number
  log: Logger
}

/** `/healthz`: this process runs. `/readyz`: the API and the stores answer too, and the API accepts our signature. */
export function serveHealth(app: FastifyInstance, options: HealthOptions): void {
  const { version, log } = options
  let logged = JSON.stringify([[], []])
  const looked = shared(() => look(options))
  app.get('/healthz', ALSO_HEAD, async () => ({ status: 'ok', version }))
  app.get('/readyz', ALSO_HEAD, async (_request, reply) => {
    const { failing, warnings, clock } = isEnding(app) ? STOPPING : await looked()
    const isReady = failing.length === 0
    if (!isReady) reply.code(503)
    const found = JSON.stringify([failing, warnings])
    if (found !== logged) log.warn({ failing, warnings, ...clock }, isReady ? 'ready' : 'not ready')
    logged = found
    return { status: isReady ? 'ok' : 'unavailable', failing, warnings, ...clock }
  })
}

const STOPPING = { failing: ['stopping'], warnings: [], clock: {} }

async function look(options: HealthOptions) {
  const [behind, stores, signing] = await Promise.all([
    failingBehind(options.api),
    failingStore(options.store),
    failingSignature(options),
  ])
  const { failing: signature, ...clock } = signing
  return { failing: [...behind.failing, ...stores, ...signature], warnings: behind.warnings, clock }
}

// Anyone can ask, and each check costs three calls and a nonce in the API, so concurrent callers share one check.
function shared<T>(work: () => Promise<T>): () => Promise<T> {
  let underway: Promise<T> | null = null
  return () => {
    underway ??= work().finally(() => {
      underway = null
    })
    return underway
  }
}

async function failingBehind(
  api: ApiConnection,
): Promise<Pick<z.output<typeof Readiness>, 'failing' | 'warnings'>> {
  let found: Awaited<ReturnType<typeof failingBehind>> = { failing: ['api'], warnings: [] }
  // Each call goes to the next node, and one that is ready is enough.
  for (let node = 0; node < api.nodes; node++) {
    try {
      const answer = await api.send({ method: 'GET', path: '/readyz', headers: {} })
      found = Readiness.parse(await answer.body.json())
      if (found.failing.length === 0) return found
    } catch {
      // It is gone, or no API.
    }
  }
  return found
}

async function failingStore(store: HealthOptions['store']): Promise<readonly string[]> {
  try {
    await store?.ping()
    return []
  } catch {
    return ['sessions']
  }
}

/** A call for a person who does not exist: an API that accepts the signature does not answer 401. */
const PROBE = { method: 'GET', path: '/api/v1/me' } as const
const NOBODY = { userId: 'nobody', tenantId: 'nobody' }

// The Date header has whole seconds and is as old as the answer, so allow 2 s.
const EDGE_SECONDS = 2

/** `clock_off_seconds`: how far this clock is ahead of the API's, or behind it where negative. */
type HealthFacts = { failing: readonly string[]; clock_off_seconds?: number }

async function failingSignature({ api, sign, now }: HealthOptions): Promise<HealthFacts> {
  try {
    const headers = sign(NOBODY, { ...PROBE, body: new Uint8Array(), clientAddress: null })
    const answer = await api.send({ ...PROBE, headers })
    await answer.body.dump()
    if (answer.statusCode !== 401) return { failing: [] }
    const offSeconds = Math.round((now() - Date.parse(String(answer.headers['date']))) / 1_000)
    const isClock = Math.abs(offSeconds) > TIMES.signatureWindowSeconds - EDGE_SECONDS
    return isClock ? { failing: ['clock'], clock_off_seconds: offSeconds } : { failing: ['signature'] }
  } catch {
    return { failing: [] }
  }
}
