import { expect, test } from 'vitest'
import type { Bundle } from '../../lib/calls/answers.ts'
import { type TreeRow, tagsOf, treeRows } from './bundle-tree.ts'

function bundle(name: string): Bundle {
  const at = '2026-01-31T12:00:00.000Z'
  return {
    id: name,
    name,
    description: '',
    tags: '',
    created_by: '',
    tenant_id: '',
    created_at: at,
    updated_at: at,
    updated_by: '',
    production: 'by_name',
    updated_by_name: null,
    may_edit: true,
    may_duplicate: true,
    key_count: 0,
  }
}

function drawn(rows: readonly TreeRow[]): string[] {
  return rows.map(
    (row) => `${' '.repeat(row.depth)}${row.name}${row.kind === 'folder' ? `/ ${row.count}` : ''}`,
  )
}

test('names become folders by their slashes, folders first', () => {
  const rows = treeRows([bundle('ci'), bundle('dev/app'), bundle('dev/web/app'), bundle('dev')], new Set())
  expect(drawn(rows)).toEqual(['dev/ 2', ' web/ 1', '  app', ' app', 'ci', 'dev'])
})

test('a closed folder hides what is in it and still counts it', () => {
  const rows = treeRows([bundle('dev/app'), bundle('dev/web/app'), bundle('ci')], new Set(['dev']))
  expect(drawn(rows)).toEqual(['dev/ 2', 'ci'])
})

test('tags are the parts between commas', () => {
  expect(tagsOf({ tags: 'a,b' })).toEqual(['a', 'b'])
  expect(tagsOf({ tags: '' })).toEqual([])
})
