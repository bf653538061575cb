import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { ImportVariables } from './import.ts'

const entriesOf = (count: number, entry: { value: string } | { from: string }) =>
  Array.from({ length: count }, (_, index) => ({ name: `A_${index}`, ...entry }))

const isFine = (entries: unknown) => ImportVariables.safeParse({ bundle: 'dev/app', entries }).success

test('an import takes few values from bundles, and holds many of its own', () => {
  const most = LIMITS.batchKeys
  const own = entriesOf(LIMITS.importEntries - most, { value: '' })
  expect(isFine([...own, ...entriesOf(most, { from: 'dev/api' })])).toBe(true)
  expect(isFine(entriesOf(most + 1, { from: 'dev/api' }))).toBe(false)
})
