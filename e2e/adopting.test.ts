import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Program } from '../server/test/program.ts'
import { commandsOf, ROOT, readDocument } from './documents.ts'

const PAGE = 'docs/adopting.md'
const dataDir = join(mkdtempSync(join(tmpdir(), 'keyferry-adopting-')), 'data')
let server: Program

beforeAll(async () => {
  server = new Program({ DATA_DIR: dataDir })
  await server.ready()
})
afterAll(async () => {
  await server.stop()
})

test('fourteen questions have a command each', () => {
  const sections = readDocument(PAGE).split(/^## /m).slice(1)
  const questions = sections.filter((section) => /^\d+\. .*\?/.test(section))
  expect(questions).toHaveLength(14)
  for (const question of questions) expect(question).toContain('```sh\n')
})

test.each(commandsOf(PAGE).filter(Boolean))('%s', async (command) => {
  const [program = '', ...words] = command.split(' ')
  if (program === 'keyferry-server') return await serverRuns(words)
  // `npm test` runs these files.
  if (command.startsWith('npm test ')) return findsEachFile(words.slice(2))
  const { status, stdout } = spawnSync('sh', ['-c', command], { cwd: ROOT, encoding: 'utf8' })
  expect([status, stdout.length > 20]).toEqual([0, true])
})

async function serverRuns(words: readonly string[]): Promise<void> {
  const inFolder = words.map((word) => (word === 'copy.db' ? join(dataDir, word) : word))
  const program = new Program({ DATA_DIR: dataDir }, inFolder)
  const { code } = await program.exited
  // Without a recovery kit, `root-key` shows where the key is, and warns.
  expect([words[0], code, program.stderr]).toEqual([
    words[0],
    words[0] === 'root-key' ? expect.any(Number) : 0,
    '',
  ])
  expect(program.stdout).not.toBe('')
}

function findsEachFile(parts: readonly string[]): void {
  const { stdout } = spawnSync('git', ['ls-files', '*.test.ts'], { cwd: ROOT, encoding: 'utf8' })
  const files = stdout.split('\n')
  for (const part of parts)
    expect(
      files.filter((file) => file.startsWith(part)),
      part,
    ).not.toEqual([])
}

test('each test of the table is in the file that the row names', () => {
  const rows = [...readDocument(PAGE).matchAll(/^\| .+ \| .+ \| (.+) \| `(.+\.test\.ts)` \|$/gm)]
  expect(rows.length).toBeGreaterThan(10)
  for (const [, name = '', file = ''] of rows) expect(readDocument(file), file).toContain(name)
})
