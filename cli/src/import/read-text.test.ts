import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import { EXIT } from '../base/cli-error.ts'
import { readText, requireNamed } from './read-text.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-text-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

const read = async (text: string | Buffer | null) => {
  const path = join(folder, 'some.env')
  if (text !== null) writeFileSync(path, text)
  return await readText({ path: text === null ? folder : path, dialect: 'dotenv' }, stage({}, folder))
}

test('the variables of a file are read in order', async () => {
  expect((await read('A=1\nB=2\n')).entries.map(({ name, value }) => [name, value])).toEqual([
    ['A', '1'],
    ['B', '2'],
  ])
})

test.each([
  ['a folder', null, ' cannot be read: it is a folder', 'Check the path, or use - for standard input.'],
  ['an empty file', '# nothing\n', ' has no variables', 'Add lines such as NAME=value.'],
  [
    'a file that is not text',
    Buffer.from([0x41, 0x3d, 0xff, 0xfe]),
    'some.env: ',
    'Nothing was imported. Fix the file, then run the same command again.',
  ],
])('%s is refused', async (_, text, says, next) => {
  const refused = read(text)
  await expect(refused).rejects.toMatchObject({ exitCode: EXIT.general, next })
  await expect(refused).rejects.toThrow(says)
})

test('errors name a missing file by its path, and stdin as standard input', async () => {
  const none = readText({ path: '/no/such', dialect: 'dotenv' }, stage({}, folder))
  await expect(none).rejects.toThrow('/no/such cannot be read: the file does not exist')
  await expect(readText({ path: null, dialect: 'dotenv' }, stage({}, folder))).rejects.toThrow(
    'standard input has no variables',
  )
})

test('each name in a flag must be in one of the files', async () => {
  const texts = [await read('A=1\n'), await read('B=2\n')]
  expect(() => requireNamed({ secret: ['A'], own: ['B'] }, texts, 'x')).not.toThrow()
  expect(() => requireNamed({ secret: ['A'], own: ['B', 'C', 'D'] }, texts, 'x')).toThrow(
    expect.objectContaining({ message: 'C, D is not in x', next: 'Check the names after --own.' }),
  )
})
