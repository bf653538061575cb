import { expect, test } from 'vitest'
import { batchedList, batchedRead } from './batched-read.ts'

const KEY_OF_TENANT = {
  sql: 'select name from keys where tenant_id = $1 and size > $2 and id = $3 and owner = $1',
  places: ['tenantId', null, 'keyId'],
  constants: ['', 7, ''],
}

/** A read whose batches are answered by hand. */
function readByHand(batched: typeof batchedRead | typeof batchedList = batchedRead) {
  const batches: { parameters: unknown[]; answer: PromiseWithResolvers<{ asked_place: number }[]> }[] = []
  const texts = new Set<string>()
  const read = batched(KEY_OF_TENANT, (text, parameters) => {
    const answer = Promise.withResolvers<{ asked_place: number }[]>()
    texts.add(text)
    batches.push({ parameters, answer })
    return answer.promise
  })
  return { read, batches, texts }
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))
const ask = (index: number) => ({ tenantId: `t${index}`, keyId: `k${index}` })

test('what is asked in one turn goes together, and each gets the rows of its own', async () => {
  const { read, batches, texts } = readByHand()
  const answers = [1, 2, 3].map((index) => read(ask(index)))
  await turn()
  expect(batches.map(({ parameters }) => parameters)).toEqual([[['t1', 't2', 't3'], ['k1', 'k2', 'k3'], 7]])
  const rows = [
    { asked_place: 3, name: 'C' },
    { asked_place: 1, name: 'A' },
    { asked_place: 1, name: 'B' },
  ]
  batches[0]?.answer.resolve(rows)
  expect(await Promise.all(answers)).toEqual([[{ name: 'A' }, { name: 'B' }], [], [{ name: 'C' }]])
  expect([...texts].join()).toContain(
    'where tenant_id = asked."tenantId" and size > $3 and id = asked."keyId" and owner = asked."tenantId"',
  )
})

test('of many turns some batches are underway, and what waits for them goes together', async () => {
  const { read, batches } = readByHand()
  const answers: Promise<unknown[]>[] = []
  for (let index = 0; index < 10; index++) {
    answers.push(read(ask(index)))
    await turn()
  }
  expect(batches.map(({ parameters }) => parameters[0])).toEqual([['t0'], ['t1'], ['t2'], ['t3']])
  batches[2]?.answer.resolve([{ asked_place: 1 }])
  await turn()
  await turn()
  expect(batches[4]?.parameters[0]).toEqual(['t4', 't5', 't6', 't7', 't8', 't9'])
  for (const { answer } of batches) answer.resolve([])
  expect(await Promise.all(answers)).toHaveLength(10)
})

test('a batch that fails fails those who asked in it, and no one else', async () => {
  const { read, batches } = readByHand()
  const first = read(ask(1))
  await turn()
  const second = read(ask(2))
  await turn()
  batches[0]?.answer.reject(new Error('gone'))
  await expect(first).rejects.toThrow('gone')
  batches[1]?.answer.resolve([])
  expect(await second).toEqual([])
})

test("lists of one tenant share no statement with another's, which waits for none of them", async () => {
  const { read, batches } = readByHand(batchedList)
  const much = Array.from({ length: 30 }, (_, index) => read({ tenantId: 'much', keyId: `k${index}` }))
  await turn()
  const little = read({ tenantId: 'little', keyId: 'k' })
  for (let turns = 0; turns < 5; turns++) await turn()
  const tenants = batches.map(({ parameters }) => parameters[0])
  expect(tenants).toEqual([Array(8).fill('much'), Array(8).fill('much'), ['little']])
  batches[2]?.answer.resolve([])
  expect(await little).toEqual([])
  for (let index = 0; index < 5; index++) {
    batches[index]?.answer.resolve([])
    for (let turns = 0; turns < 3; turns++) await turn()
  }
  expect(await Promise.all(much)).toHaveLength(30)
})
