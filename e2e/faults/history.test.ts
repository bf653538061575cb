import { expect, test } from 'vitest'
import { History } from './history.ts'

const request = { requestId: 'r', expected: 'right', wait: async () => null }

function written(...steps: ['set' | 'delete', string, 'acknowledged' | 'refused' | 'unknown'][]): History {
  const history = new History()
  for (const [kind, value, outcome] of steps) history.writing('A', kind, value)(outcome)
  return history
}

test('an acknowledged write that is missing is lost', () => {
  const history = written(['set', '1', 'acknowledged'])
  expect(history.faults(new Map())).toEqual(['A was acknowledged and is lost'])
  expect(history.faults(new Map([['A', '1']]))).toEqual([])
})

test('an acknowledged write is lost if an older value is there', () => {
  const history = written(['set', '1', 'acknowledged'], ['set', '2', 'acknowledged'])
  expect(history.faults(new Map([['A', '1']]))).toEqual(['A holds a value that it cannot hold'])
})

test('a write with an unknown outcome may have happened or not', () => {
  const history = written(['set', '1', 'acknowledged'], ['set', '2', 'unknown'])
  for (const value of ['1', '2']) expect(history.faults(new Map([['A', value]]))).toEqual([])
  expect(history.faults(new Map([['A', '3']]))).toHaveLength(1)
})

test('a deletion that was acknowledged leaves nothing, one of unknown end may leave the last value', () => {
  const deleted = written(['set', '1', 'acknowledged'], ['delete', '', 'acknowledged'])
  expect(deleted.faults(new Map([['A', '1']]))).toHaveLength(1)
  const maybe = written(['set', '1', 'acknowledged'], ['delete', '', 'unknown'])
  for (const stored of [new Map(), new Map([['A', '1']])]) expect(maybe.faults(stored)).toEqual([])
})

test('a refused write has no effect, and a value that was never written is a fault', () => {
  expect(written(['set', '1', 'refused']).faults(new Map([['A', '1']]))).toHaveLength(1)
  expect(new History().faults(new Map([['B', '1']]))).toEqual(['B exists but was never written'])
})

test('a second delivery and a wrong one are reported', () => {
  const history = new History()
  const { received } = history.asking(request)
  received.push('right')
  expect(history.faults(new Map())).toEqual([])
  received.push('wrong')
  expect(history.faults(new Map())).toEqual(['r was delivered 2 times', 'r was delivered with wrong values'])
})

test('an approval that was acknowledged and never asked for is owed', () => {
  const history = new History()
  const delivery = history.asking(request)
  expect(history.owed).toEqual([])
  delivery.approval = 'acknowledged'
  expect(history.owed).toEqual([delivery])
  delivery.wasAsked = true
  expect(history.owed).toEqual([])
})
