import { callFacts } from '@keyferry/plumbing/call-facts'
import { logOutput } from '@keyferry/plumbing/log-output'
import type { FastifyInstance } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'

/** The log of this layer: JSON lines that contain only the fields named here. */
export function createLog(level: string, destination: DestinationStream = logOutput()): Logger {
  return pino({ level, base: { part: 'web' } }, destination)
}

/** Log one line for each call. */
export function logCalls(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', async (request, reply) => log.info(callFacts(request, reply), 'call'))
}
