import { expect, test } from 'vitest'
import { endingOf } from './ending.ts'

test('an approval of a kind that only a later version knows is refused', () => {
  const approved = { kind: 'later' } as unknown as Parameters<typeof endingOf>[1]
  const endings = {} as Parameters<typeof endingOf>[0]['endings']
  expect(() => endingOf({ endings }, approved)).toThrow('this version does not know the kind of an approval')
})
