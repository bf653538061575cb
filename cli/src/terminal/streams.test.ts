import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

/** What a program whose standard output is a pipe prints. */
const printed = (script: string) =>
  execFileSync(process.execPath, ['--input-type=module', '-e', `${IMPORT}\n${script}`], { encoding: 'utf8' })
const IMPORT = `import { fileOutput, isTerminal } from ${JSON.stringify(join(import.meta.dirname, 'streams.ts'))}`

test('a pipe has the size of a usual terminal, and is none', () => {
  const script = `const out = fileOutput(1)
    out.write(JSON.stringify([out.isTerminal, out.columns(), out.rows()]))`
  expect(printed(script)).toBe('[false,80,24]')
})

test('a device that is no terminal, and a descriptor that is not open, are no terminals', () => {
  const script = `import { closeSync, openSync } from 'node:fs'
    const device = openSync('/dev/null')
    const before = isTerminal(device)
    closeSync(device)
    fileOutput(1).write(JSON.stringify([before, isTerminal(device)]))`
  expect(printed(script)).toBe('[false,false]')
})

test('a long text is written whole', () => {
  const length = 400_000
  expect(printed(`fileOutput(1).write('é'.repeat(${length}))`)).toBe('é'.repeat(length))
})
