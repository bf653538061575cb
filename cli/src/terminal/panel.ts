import { stripVTControlCharacters } from 'node:util'
import { renderUnicodeCompact } from 'uqr'
import type { Output } from '../base/parts.ts'
import { wrap } from '../base/printable.ts'
import type { TerminalStyle } from './terminal-style.ts'

/** Write lines that can be erased later.
 * @param text whole lines, with colours at most */
export function panel(text: string, output: Output) {
  const columns = output.columns()
  output.write(text)
  return {
    /** Remove the panel, if it is unchanged on the screen. Call only while nothing was written after it. */
    erase: (): void => {
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

/** How many characters of a line a person sees. */
export function widthOf(text: string): number {
  return Array.from(stripVTControlCharacters(text)).length
}

/** A text, and its colour. */
type PaintedText = { readonly text: string; readonly paint: (text: string) => string }

/** Texts on one line if they fit, else one below the other; long ones are wrapped, and no word is cut. */
export function besideOrBelow(cells: readonly PaintedText[], columns: number, gap = '   '): string[] {
  const line = cells.map(({ text, paint }) => paint(text)).join(gap)
  if (widthOf(line) <= columns - 2) return [`  ${line}`]
  return cells.flatMap(({ text, paint }) => wrap(text, columns - 3).map((part) => `  ${paint(part)}`))
}

const QUIET_ZONE = 2
const LINES_BESIDE = 14

/** The address as a QR code for a phone; empty if the terminal is too small or has no block characters. */
export function qrCode(address: string, { columns, rows }: Output, style: TerminalStyle): string[] {
  if (!style.canRewrite || !style.hasUnicode) return []
  const lines = renderUnicodeCompact(address, { border: QUIET_ZONE, ecc: 'L' }).split('\n')
  const width = lines[0]?.length ?? 0
  if (columns() < width + 4 || rows() < lines.length + LINES_BESIDE) return []
  // Explicit colours, so that a light theme does not invert the code.
  return lines.map((line) => `  ${style.hasColour ? `\x1b[97;40m${line}\x1b[0m` : line}`)
}
