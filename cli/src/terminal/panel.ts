import { stripVTControlCharacters } from 'node:util'
import type { Output } from '../ground/parts.ts'

export type Panel = {
  /** Remove the panel, if it is still on the screen as it was written and nothing but it was written since. */
  readonly erase: () => void
}

/** Write lines that can be erased later.
 * @param text whole lines, with colours at most */
export function panel(text: string, output: Output): Panel {
  const columns = output.columns()
  output.write(text)
  return {
    erase: () => {
      const rows = rowsOf(text, columns)
      // A resized terminal wraps the lines anew; what has scrolled off the screen cannot be reached.
      if (output.columns() !== columns || rows >= output.rows()) return
      output.write(`\x1b[${rows}A\r\x1b[J`)
    },
  }
}

function rowsOf(text: string, columns: number): number {
  const lines = stripVTControlCharacters(text).split('\n').slice(0, -1)
  return lines.reduce((rows, line) => rows + Math.max(1, Math.ceil(Array.from(line).length / columns)), 0)
}
