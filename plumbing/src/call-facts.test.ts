import type { FastifyReply, FastifyRequest } from 'fastify'
import { expect, test } from 'vitest'
import { callFacts } from './call-facts.ts'

const factsOf = (traceparent: unknown, url: string | undefined = '/api/v1/keys/:key_id') =>
  callFacts(
    {
      id: 'r',
      method: 'GET',
      headers: { traceparent },
      routeOptions: { url },
    } as unknown as FastifyRequest,
    { statusCode: 200, elapsedTime: 12.3456 } as FastifyReply,
  )

const [TRACE, SPAN] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331']

test('the log contains the route of a call, not its address', () => {
  const facts = { request: 'r', method: 'GET', status: 200, ms: 12.3 }
  expect(factsOf(`00-${TRACE}-${SPAN}-01`)).toEqual({ ...facts, trace: TRACE, route: '/api/v1/keys/:key_id' })
})

test.each([
  [`01-${TRACE}-${SPAN}-01`],
  [`00-${'0'.repeat(32)}-${SPAN}-01`],
  [`00-${TRACE}-${'0'.repeat(16)}-01`],
  [`00-${TRACE}-${SPAN}-01-x`],
  [['a', 'b']],
  [undefined],
])('the traceparent %j is ignored', (header) => {
  expect(factsOf(header).trace).toBeUndefined()
})
