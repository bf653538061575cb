import { expect, test } from 'vitest'
import { withDistinctNames } from './workspace-names.ts'

const named = (...names: readonly string[]) =>
  withDistinctNames(
    names.map((name, index) => ({ id: `01a215d3-625b-7a9f-8442-9b4b4a9a3d2${index}`, name })),
  ).map(({ name }) => name)

test('workspaces of different names keep their names', () => {
  expect(named('Acme', 'Acme Labs')).toEqual(['Acme', 'Acme Labs'])
})

test.each([
  ['equal', 'Acme'],
  ['in another case', 'ACME'],
  ['in wide letters', 'Ａcme'],
])('two names that are %s get the end of the id', (_how, other) => {
  expect(named('Acme', 'Team', other)).toEqual(['Acme (4a9a3d20)', 'Team', `${other} (4a9a3d22)`])
})
