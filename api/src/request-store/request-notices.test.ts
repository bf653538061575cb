import { afterAll, describe, expect, test, vi } from 'vitest'
import { ownRedis } from '../../../plumbing/test/redis-server.ts'
import { openRedis } from './redis-connection.ts'
import { openRequestNotices } from './request-notices.ts'

test('without Redis, a change wakes who waits for it, and nobody else', async () => {
  const notices = await openRequestNotices({ redis: null })
  const [one, other] = [vi.fn(), vi.fn()]
  const end = notices.watch('one', one)
  notices.watch('other', other)
  notices.notify('one')
  end()
  notices.notify('one')
  expect([one.mock.calls.length, other.mock.calls.length]).toEqual([1, 0])
})

const redis = await ownRedis()

const openNode = async () => {
  const connection = await openRedis(redis?.url ?? '', () => {})
  const notices = await openRequestNotices({ redis: connection, prefix: 'notices:' })
  const close = async () => {
    await notices.close()
    connection.close()
  }
  return { notices, close }
}

describe.runIf(redis)('with a Redis', () => {
  afterAll(() => redis?.stop())

  test('the changes of one turn wake their waiters on every node', async () => {
    const [here, there] = [await openNode(), await openNode()]
    const woken: string[] = []
    for (const id of ['a', 'b', 'c']) there.notices.watch(id, () => woken.push(id))
    const own = new Promise<void>((resolve) => here.notices.watch('a', resolve))
    here.notices.notify('a')
    here.notices.notify('b')
    await own
    await expect.poll(() => woken.toSorted()).toEqual(['a', 'b'])
    await Promise.all([here.close(), there.close()])
  })

  test('while Redis is away, the waiters of the node itself are woken; once it is back, all look again', async () => {
    const [here, there] = [await openNode(), await openNode()]
    const [own, far] = [vi.fn(), vi.fn()]
    here.notices.watch('a', own)
    there.notices.watch('b', far)
    await redis?.stop()
    here.notices.notify('a')
    await expect.poll(() => own.mock.calls.length).toBeGreaterThan(0)
    await redis?.start()
    await expect.poll(() => far.mock.calls.length).toBeGreaterThan(0)
    await Promise.all([here.close(), there.close()])
  })
})
