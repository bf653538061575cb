import { Readiness } from '@keyferry/contract'
import type { FastifyInstance } from 'fastify'
import type { ApiConnection } from './api-connection.ts'
import type { SessionStore } from './session-store/session-store.ts'

type HealthOptions = { version: string; api: ApiConnection; store: SessionStore | null }

/** `/healthz`: this process is alive. `/readyz`: what stands behind it answers too. */
export function serveHealth(app: FastifyInstance, { version, api, store }: HealthOptions): void {
  app.get('/healthz', async () => ({ status: 'ok', version }))
  app.get('/readyz', async (_request, reply) => {
    const parts = await Promise.all([failingBehind(api), failingStore(store)])
    const failing = parts.flat()
    if (failing.length > 0) reply.code(503)
    return { status: failing.length === 0 ? 'ok' : 'unavailable', failing }
  })
}

async function failingBehind(api: ApiConnection): Promise<readonly string[]> {
  try {
    const answer = await api.send({ method: 'GET', path: '/readyz', headers: {} })
    return Readiness.parse(await answer.body.json()).failing
  } catch {
    return ['api']
  }
}

async function failingStore(store: SessionStore | null): Promise<readonly string[]> {
  try {
    await store?.ping()
    return []
  } catch {
    return ['sessions']
  }
}
