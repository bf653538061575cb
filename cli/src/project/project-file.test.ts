import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { findProject } from './project-file.ts'

const outer = mkdtempSync(join(tmpdir(), 'keyferry-project-'))
const inner = join(outer, 'apps/web')
afterAll(() => rmSync(outer, { recursive: true }))

const SERVER = 'https://keyferry.example.com'

test.each([
  ['neither', {}, { server: SERVER, workspace: 'Acme', serverFolder: outer }],
  ['a workspace', { workspace: 'Other' }, { server: SERVER, workspace: 'Other', serverFolder: outer }],
  [
    'its own server',
    { server: 'https://other.example.com' },
    { server: 'https://other.example.com', serverFolder: inner },
  ],
])('a file in a project that names %s', (_, own, expected) => {
  mkdirSync(inner, { recursive: true })
  writeFileSync(join(outer, 'keyferry.json'), JSON.stringify({ server: SERVER, workspace: 'Acme' }))
  writeFileSync(join(inner, 'keyferry.json'), JSON.stringify({ bundle: 'dev/web', ...own }))
  const found = findProject(inner)
  expect(found).toMatchObject({ bundle: 'dev/web', folder: inner, ...expected })
  expect(found?.workspace).toBe('workspace' in expected ? expected.workspace : undefined)
})
