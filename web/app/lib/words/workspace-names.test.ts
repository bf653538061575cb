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
  ['equal', 'Acme Inc'],
  ['in another case', 'ACME INC'],
  ['in wide letters', 'Ａcme Inc'],
  ['apart in their spaces', 'Acme  \u00a0Inc'],
])('two names that are %s get the end of the id', (_how, other) => {
  expect(named('Acme Inc', 'Team', other)).toEqual(['Acme Inc (4a9a3d20)', 'Team', `${other} (4a9a3d22)`])
})
