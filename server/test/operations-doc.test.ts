import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { MAINTENANCE } from '../src/maintain.ts'
import { SETTINGS } from '../src/settings/setting-table.ts'
import { readSettings } from '../src/settings/settings.ts'

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/operations.md'), 'utf8')

function documentedDefault(value: unknown): string {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return ''
  const text = typeof value === 'boolean' ? (value ? '1' : '0') : JSON.stringify(value).replaceAll('"', '')
  return `\`${text}\``
}

test('every setting is documented with its default, in the order of the table', () => {
  const defaults: Readonly<Record<string, unknown>> = readSettings({})
  const rows = Object.entries(SETTINGS).map(
    ([name, { means }]) => `| \`${name}\` | ${documentedDefault(defaults[name])} | ${means} |`,
  )
  const documented = DOCUMENT.split('\n').filter((line) => /^\| `[A-Z0-9_]+` \|/.test(line))
  expect(documented).toEqual(rows)
})

test('every command that looks after a database is documented', () => {
  for (const [name, { argument }] of Object.entries(MAINTENANCE))
    expect(DOCUMENT).toContain(`\`keyferry-server ${[name, argument].filter(Boolean).join(' ')}\``)
})
