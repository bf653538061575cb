import {
  type Endpoint,
  type PathParams,
  PERSON_HEADER,
  paramsOf,
  type WebEndpointName,
  webEndpoints,
} from '@keyferry/contract'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { z } from 'zod'
import { requirePersonOfPage } from './person-of-page.ts'
import { Refusal } from './refusal.ts'
import { readJson } from './request-body.ts'
import { type OriginRules, requireSameOrigin } from './same-origin.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The row of the endpoint table, if this layer answers the route itself. */
    endpoint?: Endpoint
  }
}

const MAX_FORM_BYTES = 16_384

type OwnRows = typeof webEndpoints
type RowPart<R, Name extends string> = R extends { [K in Name]: infer S extends z.ZodType }
  ? z.output<S>
  : null
type OwnAnswer<R> = R extends { responses: { 200: infer S extends z.ZodType } } ? z.input<S> : never

export type OwnExchange = { request: FastifyRequest; reply: FastifyReply }

type OwnCall<N extends WebEndpointName> = OwnExchange & {
  params: PathParams<OwnRows[N]['path']>
  body: RowPart<OwnRows[N], 'body'>
}

type OwnHandler<N extends WebEndpointName> = (
  call: OwnCall<N>,
) => Promise<OwnAnswer<OwnRows[N]> | FastifyReply>

/** Serve one row of the endpoint table that this layer answers itself. The handler gets validated parameters and a
 * validated body. It returns the body of the answer, or the reply if it sent the answer itself. */
export function serveOwn<N extends WebEndpointName>(
  app: FastifyInstance,
  name: N,
  handler: OwnHandler<N>,
): void {
  const endpoint: Endpoint = webEndpoints[name]
  const schema = paramsOf(endpoint)
  app.route({
    method: endpoint.method,
    url: endpoint.path.replace(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: false,
    config: { endpoint },
    handler: async (request, reply) => {
      const params = schema === undefined ? {} : checked(schema, request.params)
      const body = endpoint.body ? checked(endpoint.body, await readJson(request, MAX_FORM_BYTES)) : null
      // The row's schemas validated both, so they have the types that the row declares.
      return await handler({ request, reply, params, body } as OwnCall<N>)
    },
  })
}

function checked<S extends z.ZodType>(schema: S, value: unknown): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  throw new Refusal(400, 'invalid', result.error.issues[0]?.message ?? 'invalid')
}

type Identify = (request: FastifyRequest) => Promise<{ userId: string } | null>

/** Refuse calls of these routes that another site's page makes, or a page of another person. A program that is not a
 * browser may sign in without an `Origin`, because it carries no cookie of a person. */
export function guardOwnEndpoints(
  app: FastifyInstance,
  { rules, identify }: { rules: OriginRules; identify: Identify },
): void {
  app.addHook('onRequest', async (request) => {
    const { endpoint } = request.routeOptions.config
    if (endpoint === undefined) return
    const writes = endpoint.method !== 'GET' && isFromBrowser(request)
    if (writes || endpoint.access === 'session') requireSameOrigin(request, rules)
    if (endpoint.access !== 'session' || request.headers[PERSON_HEADER] === undefined) return
    const person = await identify(request)
    if (person !== null) requirePersonOfPage(request, person)
  })
}

function isFromBrowser({ headers }: FastifyRequest): boolean {
  return [headers.cookie, headers.origin, headers['sec-fetch-site']].some((value) => value !== undefined)
}
