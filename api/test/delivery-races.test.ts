import { setTimeout as sleep } from 'node:timers/promises'
import { randomId, randomRequestId, randomToken } from '@keyferry/crypto/token'
import { afterAll, describe, expect, test } from 'vitest'
import { testRedis } from '../../plumbing/test/redis-server.ts'
import { DomainError } from '../src/domain/base/errors.ts'
import { waitForApproval } from '../src/domain/collection/request-wait.ts'
import { Deliveries } from '../src/domain/endings/request-deliveries.ts'
import { WaitingRoom } from '../src/domain/requests/waiting-room.ts'
import { openRedis } from '../src/request-store/redis-connection.ts'
import { openRequestNotices } from '../src/request-store/request-notices.ts'
import { databases } from './api.ts'
import { actsOf, openRequests, requestPlace } from './request-nodes.ts'
import { sampleRequest, sealing } from './sample-request.ts'

const APPROVALS = 150
const WAITERS = 8
const clock = { now: () => new Date(), newId: randomId, newToken: randomToken }

const nodeOn = ({ requests, together }: Awaited<ReturnType<typeof openRequests>>) => ({
  requests,
  acts: actsOf(requests),
  stores: { deposits: { appliedSince: async () => null } },
  room: new WaitingRoom(requests),
  deliveries: new Deliveries({ requests, together, clock }),
  clock,
  takeTurn: async () => {},
})
type Node = ReturnType<typeof nodeOn>

/** Waits until the request is gone; three in ten of its deliveries break.
 * @returns how many deliveries were complete */
async function waiter({ deliveries, ...parts }: Node, requestId: string): Promise<number> {
  let received = 0
  for (;;) {
    let claimId: string
    try {
      const outcome = await waitForApproval(parts, { requestId, verifier: undefined, onBreak: () => {} })
      if (outcome.status !== 'ready') continue
      claimId = outcome.claimId
    } catch (error) {
      if (error instanceof DomainError && error.code === 'not_found') return received
      throw error
    }
    await sleep(Math.random() * 3)
    const isBroken = Math.random() < 0.3
    if (!isBroken) received += 1
    deliveries.of({ requestId, claimId })[isBroken ? 'broken' : 'delivered']()
  }
}

async function deliveriesOfOne([first, second]: readonly [Node, Node]): Promise<number> {
  const id = randomRequestId()
  await first.acts.create(sampleRequest({ id }), Date.now())
  const waiters = Array.from({ length: WAITERS }, (_, n) => waiter(n % 2 ? first : second, id))
  await sleep(Math.random() * 5)
  expect(await second.acts.approve(id, sealing(), Date.now())).toBe('done')
  const received = await Promise.all(waiters)
  return received.reduce((sum, count) => sum + count, 0)
}

async function race(nodes: readonly [Node, Node]): Promise<void> {
  const counts = await Promise.all(Array.from({ length: APPROVALS }, () => deliveriesOfOne(nodes)))
  expect(counts).toEqual(Array.from({ length: APPROVALS }, () => 1))
}

const title = `${APPROVALS} approvals with ${WAITERS} racing waiters and breaking connections: one delivery each`

test(`on SQLite: ${title}`, async () => {
  const opened = await openRequests(await requestPlace('sqlite'))
  const node = nodeOn(opened)
  await race([node, node])
  await node.deliveries.settled()
  await opened.database.close()
})

const redis = databases.includes('postgres') ? await testRedis() : null

describe.runIf(redis)('with PostgreSQL and Redis', () => {
  afterAll(() => redis?.stop())

  test(`on two nodes: ${title}`, async () => {
    const place = await requestPlace('postgres')
    const prefix = `test-${randomRequestId()}:`
    const openNode = async () => {
      const connection = await openRedis(redis?.url ?? '', () => {})
      const notices = await openRequestNotices({ redis: connection, prefix })
      return { ...(await openRequests(place, { notices })), connection }
    }
    const [one, other] = [await openNode(), await openNode()]
    const nodes = [nodeOn(one), nodeOn(other)] as const
    await race(nodes)
    for (const { deliveries } of nodes) await deliveries.settled()
    for (const { connection, database } of [one, other]) {
      await database.close()
      connection.close()
    }
  })
})
