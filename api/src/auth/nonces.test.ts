import { expect, test } from 'vitest'
import { createMemoryNonces } from './nonces.ts'

test('a nonce is accepted once within its lifetime', async () => {
  for (let start = 0; start < 60_000; start += 7_000) {
    let now = 0
    const nonces = createMemoryNonces(() => now)
    await nonces.useOnce('first', 60)
    now = start
    expect(await nonces.useOnce('nonce', 60)).toBe(true)
    for (now = start; now < start + 60_000; now += 1_000)
      expect(await nonces.useOnce('nonce', 60)).toBe(false)
  }
})

test('nonces are forgotten after their lifetime', async () => {
  let now = 0
  const nonces = createMemoryNonces(() => now)
  await nonces.useOnce('nonce', 60)
  now = 120_000
  expect(await nonces.useOnce('nonce', 60)).toBe(true)
})
