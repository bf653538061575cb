import { MACHINE_LIMITS } from '@keyferry/contract/machines'
import { expect, test } from 'vitest'
import { requireRoomFor } from './machine.ts'

test.each([
  ['machines', 'a workspace can have 200 machines: delete one that is not used'],
  ['grants', 'a machine can use 200 bundles: remove one, or use another machine'],
  ['tokens', 'a machine can have 10 tokens: end one that is not used'],
  ['trusts', 'a machine can have 20 trusts: end one that is not used'],
] as const)('%s beyond their limit are refused', (what, refusal) => {
  const limit = MACHINE_LIMITS[what]
  expect(() => requireRoomFor(what, limit - 1)).not.toThrow()
  expect(() => requireRoomFor(what, limit)).toThrow(
    expect.objectContaining({ code: 'conflict', message: refusal, details: { limit } }),
  )
})
