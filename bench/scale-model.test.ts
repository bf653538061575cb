import { expect, test } from 'vitest'
import { nodesFor, predicted } from './scale-model.ts'
import { simulated } from './scale-simulation.ts'

const SCALE = {
  requestsPerSecond: 60,
  decisionSeconds: 20,
  holdSeconds: 30,
  apiNodes: 3,
  deliverySeconds: 0.02,
  repollSeconds: 0.01,
}

// A small generator of the same numbers in every run (mulberry32).
function repeatable(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

test('the arithmetic agrees with the simulation', () => {
  const [expected, seen] = [predicted(SCALE), simulated(SCALE, 3_000, repeatable(1))]
  expect(seen.heldWaits / expected.heldWaits).toBeCloseTo(1, 1)
  expect(seen.repollsPerSecond / expected.repollsPerSecond).toBeCloseTo(1, 1)
  expect(seen.utilization / expected.utilization).toBeCloseTo(1, 1)
  expect(seen.queueSeconds / expected.queueSeconds).toBeCloseTo(1, 1)
})

test('the model proposes no more nodes than the load needs, and no fewer', () => {
  const nodes = nodesFor(SCALE, 0.5)
  expect(predicted({ ...SCALE, apiNodes: nodes }).utilization).toBeLessThanOrEqual(0.5)
  expect(predicted({ ...SCALE, apiNodes: nodes - 1 }).utilization).toBeGreaterThan(0.5)
})
