import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { coveredColumns, MAC_TABLE_NAMES } from '../src/storage/row-macs/mac-tables.ts'
import written from './written-columns.json' with { type: 'json' }

/*
 * Whatever writes a row with a MAC turns its source into a right. `written-columns.json` lists every insert and update
 * of such a table, and where the value of each column comes from that the MAC covers. A new write fails here until its
 * sources are listed. None of them may be a row without a MAC: a program that can only write to the database would then
 * give itself rights.
 */

const SOURCES = {
  caller: 'the body, the path or the session of an admitted caller',
  server: 'made by this server in the act, or fixed in the code',
  operator: 'what the operator typed at the command line',
  layer: 'a call that the web layer or the identity provider signed',
  checked: 'a row whose MAC was compared when it was read',
  request: 'a request whose MAC, and that of its payload, was compared',
  signature: 'a statement whose signature was checked',
  'ID token': 'a token whose signature was checked',
  'address token': 'a token that only a mail to the address had',
  'name of a key': 'the name under which a bundle delivers a key: it decides no right',
} as const

type Write = { at: string; columns: readonly string[] }

const ROOT = join(import.meta.dirname, '../src')
const names = new Set<string>(MAC_TABLE_NAMES)

function writesIn(file: string): Write[] {
  const text = readFileSync(join(ROOT, file), 'utf8')
  const built = text.matchAll(/\b(insertInto|updateTable|updateOf)\(\s*(?:\w+,\s*)?'(\w+)'/g)
  const raw = text.matchAll(/\b(?:update|insert into) (\w+)(?: set|\s*\()/g)
  const found = [
    ...[...built].map(({ 1: call, 2: table = '', index }) => {
      const kind = call === 'insertInto' ? 'insert' : 'update'
      return { kind, table, columns: columnsSet(text.slice(index), table, kind) }
    }),
    ...[...raw].map(({ 1: table = '' }) => ({ kind: 'sql', table, columns: [] })),
  ]
  return found
    .filter(({ table }) => names.has(table))
    .map(({ kind, table, columns }) => ({ at: `${file} ${kind} ${table}`, columns }))
}

// An insert writes every column. Of an update, those that its own object names; what it spreads is listed by hand.
function columnsSet(text: string, table: string, kind: string): readonly string[] {
  const { columns } = coveredColumns(MAC_TABLE_NAMES.find((name) => name === table) ?? 'users')
  if (!names.has(table) || kind === 'insert') return columns
  const [statement = ''] = /^.*?(?=\bexecute|\bhasChanged|\n\})/s.exec(text) ?? []
  const [, set = ''] = /\.set\(([^;]*?\})\)/s.exec(statement) ?? []
  return columns.filter((column) => new RegExp(`[{,]\\s*${column}\\s*[:,}]`).test(set))
}

const FILES = globSync('**/*.ts', { cwd: ROOT }).filter((file) => !file.endsWith('.test.ts'))
const writes = FILES.toSorted().flatMap(writesIn)
const LISTED = new Map<string, Readonly<Record<string, string>>>(Object.entries(written))

test('every write of a table with MACs is listed, and nothing else', () => {
  expect(writes.length).toBeGreaterThan(80)
  expect([...LISTED.keys()].toSorted()).toEqual([...new Set(writes.map(({ at }) => at))].toSorted())
})

test.each(writes)('$at: each column that decides has a source', ({ at, columns }) => {
  const sources = Object.entries(LISTED.get(at) ?? {})
  const listed = new Set(sources.flatMap(([, of]) => of.split(' ')))
  expect(columns.filter((column) => !listed.has(column))).toEqual([])
  expect(sources.filter(([source]) => !(source in SOURCES))).toEqual([])
})
