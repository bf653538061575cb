import { expect, test } from 'vitest'
import { toldApart } from './workspace-names.ts'

const named = (...names: readonly string[]) =>
  toldApart(names.map((name, index) => ({ id: `${index}0c7c430-0d0b-4f0d-8a52-9b4b4a9a3d21`, name }))).map(
    ({ name }) => name,
  )

test('workspaces of different names keep their names', () => {
  expect(named('Acme', 'Acme Labs')).toEqual(['Acme', 'Acme Labs'])
})

test.each([
  ['equal', 'Acme'],
  ['in another case', 'ACME'],
  ['in wide letters', 'Ａcme'],
])('two names that are %s get the beginning of the id', (_how, other) => {
  expect(named('Acme', 'Team', other)).toEqual(['Acme (00c7c430)', 'Team', `${other} (20c7c430)`])
})
