import type { PoolClient } from 'pg'
import { expect, test } from 'vitest'
import { nameStatements } from './statement-names.ts'

/** A connection that notes what it is asked. `pid`: what the database says, where the client was told 7. */
async function newConnection(pid = 7) {
  const asked: unknown[] = []
  const query = async (...words: unknown[]) => {
    asked.push(words[0])
    return { rows: [{ pid }] }
  }
  const client = { processID: 7, query } as unknown as PoolClient
  nameStatements(client)
  await Promise.resolve()
  await Promise.resolve()
  asked.length = 0
  return { client, asked }
}

const ofLength = (length: number) => `select $1 -- ${length} `.padEnd(length, '-')

test('a statement of up to 8,000 characters has a name, the same for the same text', async () => {
  const { client, asked } = await newConnection()
  for (const length of [8_000, 8_000, 8_001]) await client.query(ofLength(length), ['v'])
  const name = expect.stringMatching(/^keyferry_[\w-]{40}$/)
  const named = { name, text: ofLength(8_000), values: ['v'] }
  expect(asked).toEqual([named, named, ofLength(8_001)])
  expect(asked[0]).toEqual(asked[1])
})

test('without values, or behind a pooler, a statement has no name', async () => {
  const direct = await newConnection()
  await direct.client.query('select 1', [])
  const pooled = await newConnection(8)
  await pooled.client.query('select $1', ['v'])
  expect([...direct.asked, ...pooled.asked]).toEqual(['select 1', 'select $1'])
})
