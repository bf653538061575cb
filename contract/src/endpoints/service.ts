import { z } from 'zod'
import { GET } from '../endpoint.ts'
import { Health, Readiness } from '../schemas/health.ts'

/** The server itself. */
export const serviceEndpoints = {
  getHealth: GET('/healthz', 'public', {
    summary: 'The process is alive',
    answer: Health,
    storeless: true,
    internal: true,
  }),
  getReadiness: GET('/readyz', 'public', {
    summary: 'The process can serve: its stores answer',
    responses: { 200: Readiness, 503: Readiness },
    internal: true,
  }),
  getOpenApi: GET('/api/v1/openapi.json', 'public', {
    summary: 'This interface as an OpenAPI 3.1 document',
    storeless: true,
    answer: z
      .record(z.string(), z.unknown())
      .meta({ id: 'OpenApiDocument', examples: [{ openapi: '3.1.0' }] }),
  }),
}
