import { Pool } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { ApiNodes } from './api-nodes.ts'

const PORTS = [1, 2, 3]
const pools = PORTS.map((port) => new Pool(`http://127.0.0.1:${port}`))
let nodes = new ApiNodes(pools)
afterEach(() => {
  nodes = new ApiNodes(pools)
})

type Answer = Awaited<ReturnType<ApiNodes['first']>>
const answering = (statusCode = 200, headers: Record<string, string> = {}) =>
  ({ statusCode, headers }) as unknown as Answer
const failing = (code: string) => Object.assign(new Error(code), { code })

/** The ports that one call tries, if the nodes give these answers. -1: the call fails. */
async function asked(...answers: readonly (Answer | Error)[]): Promise<number[]> {
  const ports: number[] = []
  const attempt = async (pool: Pool) => {
    const at = pools.indexOf(pool)
    ports.push(PORTS[at] ?? 0)
    const answer = answers[at] ?? answering()
    if (answer instanceof Error) throw answer
    return answer
  }
  await nodes.first(attempt).catch((error: unknown) => ports.push(error instanceof Error ? -1 : 0))
  return ports
}

test('each call goes to the next node', async () => {
  expect([nodes.count, await asked(), await asked(), await asked(), await asked()]).toEqual([
    3,
    [2],
    [3],
    [1],
    [2],
  ])
})

test.each([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])('after %s the call goes to the next node, and the node is avoided for a while', async (code) => {
  expect(await asked(answering(), failing(code))).toEqual([2, 3])
  expect([await asked(), await asked(), await asked()]).toEqual([[3], [1], [3]])
})

test('a call that may have reached a node is not sent to another node', async () => {
  expect(await asked(answering(), failing('ECONNRESET'))).toEqual([2, -1])
  expect([await asked(), await asked(), await asked()]).toEqual([[3], [1], [2]])
})

test.each([answering(503), answering(200, { connection: 'close' })])(
  'a node that is stopping gets no call for a while: %#',
  async (answer) => {
    expect(await asked(answering(), answer)).toEqual([2])
    expect([await asked(), await asked(), await asked()]).toEqual([[3], [1], [3]])
  },
)

test('if all nodes refuse a call, it fails, and the next call tries them again', async () => {
  const refused = PORTS.map(() => failing('ECONNREFUSED'))
  expect(await asked(...refused)).toEqual([2, 3, 1, -1])
  expect(await asked()).toEqual([3])
})

test('a single node gets every call, even after it refused one', async () => {
  nodes = new ApiNodes(pools.slice(0, 1))
  expect([await asked(failing('ECONNREFUSED')), await asked()]).toEqual([[1, -1], [1]])
})

test('two nodes take turns', async () => {
  nodes = new ApiNodes(pools.slice(0, 2))
  expect([await asked(), await asked(), await asked()]).toEqual([[2], [1], [2]])
})
