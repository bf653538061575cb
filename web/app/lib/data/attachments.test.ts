import { expect, test } from 'vitest'
import type { BundleItem } from '../calls/answers.ts'
import { moved } from './attachments.ts'

function item(name: string, order: number | null): BundleItem {
  const shared = {
    name,
    key_name: null,
    key: name,
    value: '*****',
    is_secret: true,
    description: null,
    required: false,
  }
  return { ...shared, id: order === null ? null : name, order }
}

const items = [item('A', 0), item('B', 1), item('C', 2), item('OLD', null)]

test.each([
  ['A', 2, ['B', 'C', 'A']],
  ['C', 0, ['C', 'A', 'B']],
  ['B', 1, ['A', 'B', 'C']],
])('%s to %i gives %j, with positions renewed and legacy items behind', (id, to, order) => {
  const after = moved(items, id, to)
  expect(after.map(({ name }) => name)).toEqual([...order, 'OLD'])
  expect(after.map(({ order: position }) => position)).toEqual([0, 1, 2, null])
})

test('an unknown key moves nothing', () => {
  expect(moved(items, 'X', 0)).toEqual(items)
})
