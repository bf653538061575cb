import type { FastifyInstance } from 'fastify'
import { type DestinationStream, type Logger, pino } from 'pino'

const STANDARD_OUTPUT = 1

/** The log of this layer: JSON lines. Whatever is not named here never gets into it. */
export function createLog(
  level: string,
  destination: DestinationStream = pino.destination(STANDARD_OUTPUT),
): Logger {
  return pino({ level, base: { part: 'web' } }, destination)
}

/** One line for each call. The route's pattern stands for the address, which may hold a request id or a token. */
export function logCalls(app: FastifyInstance, log: Logger): void {
  app.addHook('onResponse', async (request, reply) => {
    log.info(
      {
        request: request.id,
        method: request.method,
        route: request.routeOptions.url ?? 'unknown',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 10) / 10,
      },
      'call',
    )
  })
}
