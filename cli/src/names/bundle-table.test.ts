import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import type { ListedBundle } from '../server/bundles.ts'
import { terminalStyle } from '../terminal/terminal-style.ts'
import { bundleTable } from './bundle-table.ts'

const RED = '\x1b[31m'

function linesOf(bundles: readonly Pick<ListedBundle, 'name' | 'production' | 'tags'>[]): string[] {
  const output = { isTerminal: true, write: () => undefined, columns: () => 120, rows: () => 40 }
  const style = terminalStyle(output, { TERM: 'xterm', LANG: 'C.UTF-8' }, 'linux')
  const listed = bundles.map((bundle) => ({ ...bundle, id: bundle.name, keyCount: 1, marks: null }))
  return bundleTable(listed, { style, columns: 120, nowMs: 0 })
}

const ALONE = { tags: '', production: 'by_name' } as const

test('production is what the server says of a bundle, not its name alone', () => {
  const [, said, denied] = linesOf([
    { ...ALONE, name: 'dev/api', production: 'yes' },
    { ...ALONE, name: 'prod/web', production: 'no' },
  ])
  expect([said?.includes(RED), denied?.includes(RED)]).toEqual([true, false])
  expect(linesOf([{ ...ALONE, name: 'shop', tags: 'prod' }]).join()).toContain(RED)
})

test('an environment that several applications have is a column, as on the page', () => {
  const names = ['dev/web', 'dev/api', 'preview/web', 'preview/api']
  const [head] = linesOf(names.map((name) => ({ ...ALONE, name })))
  expect(head).toMatch(/APPLICATION +dev +preview/)
  const long = ['dev/customer-portal', 'dev/api', 'prod/customer-portal', 'prod/api']
  const lines = linesOf(long.map((name) => ({ ...ALONE, name }))).map(stripVTControlCharacters)
  expect(lines).toEqual([
    '  APPLICATION        dev           prod',
    '  api                 1             1',
    '  customer-portal     1             1',
  ])
})
