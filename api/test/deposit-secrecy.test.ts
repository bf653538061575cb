import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createClient } from 'redis'
import { afterAll, describe, expect, test } from 'vitest'
import { testRedis } from '../../plumbing/test/redis-server.ts'
import { startTestApi, type TestApi } from './api.ts'
import { approveDeposit, bundleValues, DepositClient, planOf } from './deposit-client.ts'
import { secretOf } from './returning-client.ts'

const MARKED = 'MARKED-DEPOSIT-51ce'

/** Everything that the files of an API contain. */
function filesOf({ settings: { dataDir } }: TestApi): string[] {
  return readdirSync(dataDir).map((name) => readFileSync(join(dataDir, name)).toString('latin1'))
}

/** Deposit a marked value and store it, and look into every sink on the way. */
async function searchEverySink(api: TestApi, sinks: () => Promise<string[]>): Promise<void> {
  const owner = await api.newOwner()
  const client = new DepositClient(api)
  const body = await client.body('dev/marked', { SECRET: MARKED, LONG: MARKED.repeat(100) })
  const requestId = await client.asked(body)
  const answers = [JSON.stringify(body), (await planOf(api, owner, requestId)).text]
  const look = async () => {
    for (const sink of [...answers, ...(await sinks()), api.log()]) expect(sink).not.toContain(MARKED)
  }
  await look()
  const approved = await approveDeposit(api, owner, { requestId, release: 'code' })
  answers.push(approved.text)
  await look()
  answers.push((await client.release(requestId, secretOf(approved.json))).text)
  await look()
  answers.push((await client.waits(requestId)).text)
  answers.push((await api.call('listAudit', { as: owner })).text)
  await look()
  expect(await bundleValues(api, owner, 'dev/marked')).toMatchObject({ SECRET: MARKED })
  expect(api.log()).toContain('deposit')
  await look()
}

test('a deposited value is found in no file, log, event or answer', async () => {
  const api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'] })
  await searchEverySink(api, async () => filesOf(api))
  await api.close()
})

const redis = await testRedis()

describe.runIf(redis)('with a Redis', () => {
  afterAll(async () => await redis?.stop())

  test('Redis never contains a deposited value', async () => {
    const url = redis?.url ?? ''
    const api = await startTestApi('sqlite', { trustProxy: ['127.0.0.1'], redisUrl: url })
    const reader = await createClient({ url }).connect()
    const contained = async () => {
      const names = await reader.keys('*')
      const dumps = names.map(async (name) => {
        const type = await reader.type(name)
        if (type === 'hash') return JSON.stringify(await reader.hGetAll(name))
        return type === 'string' ? `${await reader.get(name)}` : name
      })
      return await Promise.all(dumps)
    }
    await searchEverySink(api, contained)
    reader.destroy()
    await api.close()
  })
})
