import { expect, test } from 'vitest'
import type { Listing } from '../domain/base/listing.ts'
import { listReply } from './list-reply.ts'

async function* chunksOf(count: number): AsyncGenerator<readonly number[]> {
  for (let index = 0; index < count; index += 1) yield [2 * index, 2 * index + 1]
}

const listing = (chunks: number): Listing<number> => ({ total: 2 * chunks, chunks: chunksOf(chunks) })
const present = (entry: number) => ({ entry })

test('one chunk is an ordinary body', async () => {
  const { parts: reply } = await listReply(listing(1), present)
  expect(reply).toEqual({
    headers: { 'x-total-count': '2' },
    body: [{ entry: 0 }, { entry: 1 }],
  })
})

test.each([2, 3, 50])('%i chunks are written as one JSON array', async (chunks) => {
  const { parts: reply } = await listReply(listing(chunks), present)
  let text = ''
  if ('stream' in reply) for await (const part of reply.stream) text += part
  expect(JSON.parse(text)).toEqual(Array.from({ length: 2 * chunks }, (_, entry) => ({ entry })))
})

test('other calls run between two chunks, even with a fast store', async () => {
  const { parts: reply } = await listReply(listing(50), present)
  const others = { turns: 0, isOver: false }
  const takeTurn = () => {
    others.turns += 1
    if (!others.isOver) setImmediate(takeTurn)
  }
  setImmediate(takeTurn)
  if ('stream' in reply) for await (const text of reply.stream) expect(text).not.toBe('')
  others.isOver = true
  expect(others.turns).toBeGreaterThanOrEqual(48)
})
