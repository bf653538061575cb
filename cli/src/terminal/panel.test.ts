import { expect, test } from 'vitest'
import { panel } from './panel.ts'

function terminal(columns = 20, rows = 10) {
  const seen = { text: '', columns }
  const output = {
    isTerminal: true,
    columns: () => seen.columns,
    rows: () => rows,
    write: (text: string) => {
      seen.text += text
    },
  }
  return { seen, output }
}

test('erasing a panel clears every row of it, wrapped lines included', () => {
  const { seen, output } = terminal()
  panel(`\x1b[1mtitle\x1b[0m\n\n${'x'.repeat(41)}\n`, output).erase()
  expect(seen.text.endsWith('\x1b[5A\r\x1b[J')).toBe(true)
})

test('a panel stays when the terminal was resized, or is too small for it', () => {
  const resized = terminal()
  const shown = panel('a\n', resized.output)
  resized.seen.columns = 21
  shown.erase()
  expect(resized.seen.text).toBe('a\n')

  const small = terminal(20, 3)
  panel('a\nb\nc\n', small.output).erase()
  expect(small.seen.text).toBe('a\nb\nc\n')
})
