import { expect, test } from 'vitest'
import { holderId } from './holder-id.ts'

test('the same place has the same id, and another place another', () => {
  expect(holderId('person', 'a', 'host', 'sam')).toBe(holderId('person', 'a', 'host', 'sam'))
  const others = [
    ['b', 'host', 'sam'],
    ['a', 'hosts', 'am'],
    ['a', 'host', 'sam', ''],
    ['a', 'hostsam'],
  ]
  const ids = others.map((parts) => holderId('person', ...parts))
  expect(new Set([...ids, holderId('person', 'a', 'host', 'sam')]).size).toBe(others.length + 1)
})
