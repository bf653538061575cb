import { expect, test } from 'vitest'
import type { Bundle } from '../../lib/calls/answers.ts'
import { homeTable, isFound } from './home-rows.ts'

function bundle(name: string, more: Partial<Bundle> = {}): Bundle {
  const [id, by, at] = [name, 'x', '2026-01-01T00:00:00.000Z']
  const stamp = { created_by: by, created_at: at, updated_by: by, updated_at: at, updated_by_name: null }
  const texts = { description: '', tags: '', production: 'by_name' as const }
  return {
    id,
    name,
    tenant_id: 't',
    key_count: 1,
    may_edit: true,
    may_duplicate: true,
    ...texts,
    ...stamp,
    ...more,
  }
}

const shown = (names: readonly string[]) => {
  const { environments, rows } = homeTable(names.map((name) => bundle(name)))
  return {
    environments,
    rows: rows.map((row) =>
      row.kind === 'bundle' ? row.name : [row.name, ...row.cells.map((cell) => cell?.name ?? null)],
    ),
  }
}

test('environments are columns in their order, applications are rows by name, and what is missing is null', () => {
  expect(shown(['prod/web', 'staging/web', 'dev/web', 'dev/api', 'prod/api'])).toEqual({
    environments: ['dev', 'staging', 'prod'],
    rows: [
      ['api', 'dev/api', null, 'prod/api'],
      ['web', 'dev/web', 'staging/web', 'prod/web'],
    ],
  })
})

test('an environment with a name of its own is a column if two applications have it beside others', () => {
  const names = ['dev/web', 'preview/web', 'dev/api']
  expect(shown(names).rows).toEqual([['api', 'dev/api'], ['web', 'dev/web'], 'preview/web'])
  expect(shown([...names, 'preview/api']).environments).toEqual(['dev', 'preview'])
})

test('bundles whose names follow no environment have rows of their own, after the applications', () => {
  expect(shown(['ci/npm', 'dev/web', 'alone', 'team1/a', 'team2/b'])).toEqual({
    environments: ['dev'],
    rows: [['web', 'dev/web'], 'alone', 'ci/npm', 'team1/a', 'team2/b'],
  })
  expect(shown(['alone']).environments).toEqual([])
})

test('the filter looks at names and descriptions of all environments, and at whole tags', () => {
  const bundles = [bundle('dev/web', { description: 'The shop' }), bundle('prod/web', { tags: 'a,shop' })]
  const [row] = homeTable(bundles).rows
  if (row === undefined) throw new Error('no row')
  const found = (query: string, tag = '') => isFound(row, { query, tag })
  expect([found('shop prod'), found('staging'), found('', 'shop'), found('', 'sho')]).toEqual([
    true,
    false,
    true,
    false,
  ])
})
