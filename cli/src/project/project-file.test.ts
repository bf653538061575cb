import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { LIMITS } from '@keyferry/contract/limits'
import { afterAll, expect, test } from 'vitest'
import { chooseServer, findProject, isWorkspaceText } from './project-file.ts'

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

function projectIn(content: string) {
  const folder = mkdtempSync(join(tmpdir(), 'keyferry-project-'))
  writeFileSync(join(folder, 'keyferry.json'), content)
  try {
    return findProject(folder)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

test.each([
  ['[]', 'it is not a JSON object'],
  ['{"servers":"x"}', 'unknown field servers'],
  ['{"toString":"x"}', 'unknown field toString'],
  ['{"server":1}', 'server must be a string'],
  ['{"workspace":" "}', 'workspace must be the name or the id of a workspace'],
  ['{"bundle":"a//b"}', 'bundle must have letters, digits, - and _, with single slashes between parts'],
  ['{"keys":"A"}', 'keys must be a list of variables'],
  ['{"optional":["A","1 B"]}', 'optional must be a list of variables'],
  ['{"keys":[1]}', 'keys must be a list of variables'],
  ['{"format":"xml"}', 'unknown format xml'],
])('%s is refused: %s', (content, says) => {
  expect(() => projectIn(content)).toThrow(
    expect.objectContaining({
      message: `keyferry.json: ${says}`,
      next: 'Fix the file, or write a new one with keyferry init --force.',
    }),
  )
})

test('a file can begin with a byte order mark, and have every field', () => {
  const project = { workspace: 'Acme', bundle: 'dev/app', keys: ['A'], optional: ['B'], format: 'json' }
  expect(projectIn(`\ufeff${JSON.stringify({ server: SERVER, ...project })}`)).toMatchObject({
    server: SERVER,
    ...project,
  })
})

test('the name of a workspace has visible letters, up to the limit of the server', () => {
  const texts = [
    'Acme',
    'x'.repeat(LIMITS.nameLength),
    'x'.repeat(LIMITS.nameLength + 1),
    ' ',
    'a\u0007',
    'a\u202e',
  ]
  expect(texts.map(isWorkspaceText)).toEqual([true, true, false, false, false, false])
})

test.each([
  [
    'https://flag.example',
    SERVER,
    { KEYFERRY_SERVER: 'https://env.example' },
    'https://flag.example',
    '--server',
  ],
  [null, SERVER, { KEYFERRY_SERVER: 'https://env.example' }, 'https://env.example', 'KEYFERRY_SERVER'],
  [null, SERVER, { KEYFERRY_SERVER: '' }, SERVER, 'keyferry.json'],
  [null, undefined, {}, 'http://127.0.0.1:5393', 'default'],
])(
  'with --server %s, %s in keyferry.json and the environment %j, the server is %s',
  (flag, ofProject, env, server, source) => {
    const project = { ...projectIn('{}'), server: ofProject } as Parameters<typeof chooseServer>[1]
    expect(chooseServer(flag, project, env)).toEqual({ server, source })
  },
)
