import { expect, test } from 'vitest'
import { hostedStores } from './hosted-stores.ts'
import { type KillsResult, killUnderLoad } from './kills.ts'

// Each part of a deployment is killed once; `npm run faults -- kills` kills 30 times.
const KILLS = 2
const LIMIT_MS = 180_000

function expectNothingLost({ kills, acknowledgedWrites, faults }: KillsResult): void {
  expect(faults).toEqual([])
  expect(acknowledgedWrites).toBeGreaterThan(kills)
}

test(
  'kill -9 of the all-in-one server under load loses and doubles nothing',
  async () => {
    expectNothingLost(await killUnderLoad({ processes: 'all' }, KILLS))
  },
  LIMIT_MS,
)

test(
  'kill -9 of API and web layer in turn loses and doubles nothing',
  async () => {
    expectNothingLost(await killUnderLoad({ processes: 'separate' }, KILLS))
  },
  LIMIT_MS,
)

test(
  'kill -9 of API and web layer in turn, on PostgreSQL and Redis, loses and doubles nothing',
  async (context) => {
    await using stores = await hostedStores()
    context.skip(!stores)
    if (!stores) return
    expectNothingLost(await killUnderLoad({ processes: 'separate', stores }, KILLS))
  },
  LIMIT_MS,
)
