import { callFacts } from '@keyferry/plumbing/call-facts'
import { logOutput } from '@keyferry/plumbing/log-output'
import type { FastifyInstance } from 'fastify'
import { pino } from 'pino'

/** Log one line for each call, as the API does, so that both sides of a comparison log. */
export function logCalls(app: FastifyInstance): void {
  const log = pino({ base: null }, logOutput())
  app.addHook('onResponse', (request, reply, done) => {
    log.info(callFacts(request, reply), 'call')
    done()
  })
}
