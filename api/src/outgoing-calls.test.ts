import { expect, test } from 'vitest'
import { guardOf } from './outgoing-calls.ts'

const PORTS = [5432, 5433, 6379, 6380, 6381, 26379]

// Each host is that of a store, in a network that the operator allowed.
test.each([
  ['postgres://keyferry:x@127.0.0.1/keyferry', '127.0.0.1', [5432]],
  ['postgres://keyferry:x@127.0.0.1:5433/keyferry', '127.0.0.1', [5433]],
  ['postgres://keyferry:x@[::1],[::1]:5433/keyferry', '[::1]', [5432, 5433]],
  ['redis://127.0.0.1', '127.0.0.1', [6379]],
  ['rediss://127.0.0.1:6380,127.0.0.1:6381', '127.0.0.1', [6380, 6381]],
  ['redis+sentinel://127.0.0.1,127.0.0.1:6381/master', '127.0.0.1', [6381, 26379]],
])('with a store at %s, no call reaches %s at the ports %j', async (url, host, ports) => {
  const isRedis = url.startsWith('redis')
  const guard = guardOf({
    databaseUrl: isRedis ? null : url,
    redisUrl: isRedis ? url : null,
    privateTargets: ['127.0.0.1/32', '::1/128'],
    egressProxy: null,
  })
  const refused: number[] = []
  for (const port of PORTS)
    await guard.connectable(`https://${host}:${port}/`).catch((error: unknown) => {
      expect(error).toMatchObject({ message: /it is a store of this server$/ })
      refused.push(port)
    })
  expect(refused).toEqual(ports)
})
