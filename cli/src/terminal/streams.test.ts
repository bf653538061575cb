import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { closeTerminals, hasTerminal, inTerminal } from '../../../e2e/terminal.ts'

afterAll(closeTerminals)

/** What a program whose standard output is a pipe prints. */
const printed = (script: string) => execFileSync(process.execPath, wordsOf(script), { encoding: 'utf8' })
const wordsOf = (script: string) => ['--input-type=module', '-e', `${IMPORT}\n${script}`]
const IMPORT = `import { fileOutput, isTerminal } from ${JSON.stringify(join(import.meta.dirname, 'streams.ts'))}`

const FACTS = `const out = fileOutput(1)
  out.write(JSON.stringify([out.isTerminal, out.columns(), out.rows()]))`

test('a pipe is no terminal, and counts as 80 by 24', () => {
  expect(printed(FACTS)).toBe('[false,80,24]')
})

test.skipIf(!hasTerminal())('a terminal has its own size', async () => {
  const { PATH } = process.env
  const terminal = inTerminal([process.execPath, ...wordsOf(FACTS)], { env: { PATH }, columns: 91, rows: 37 })
  expect((await terminal.appears(/\[.*\]/))[0]).toBe('[true,91,37]')
  await terminal.exit
})

test('/dev/null and a closed descriptor are no terminals', () => {
  const script = `import { closeSync, openSync } from 'node:fs'
    const device = openSync('/dev/null')
    const before = isTerminal(device)
    closeSync(device)
    fileOutput(1).write(JSON.stringify([before, isTerminal(device)]))`
  expect(printed(script)).toBe('[false,false]')
})

test('a long text is written whole', () => {
  const length = 400_000
  // The streams of Node.js set a pipe to non-blocking.
  const script = `process.stdout.isTTY; fileOutput(1).write('é'.repeat(${length}))`
  expect(printed(script)).toBe('é'.repeat(length))
})
