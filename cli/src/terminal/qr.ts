import { renderUnicodeCompact } from 'uqr'
import type { Output } from '../ground/parts.ts'
import type { TerminalStyle } from './terminal-style.ts'

const QUIET_ZONE = 2
const LINES_BESIDE = 14

/** The address as a QR code for a phone; null if the terminal is too small or has no block characters. */
export function qrCode(address: string, { columns, rows }: Output, style: TerminalStyle): string | null {
  if (!style.canRewrite || !style.hasUnicode) return null
  const lines = renderUnicodeCompact(address, { border: QUIET_ZONE, ecc: 'L' }).split('\n')
  const width = lines[0]?.length ?? 0
  if (columns() < width + 4 || rows() < lines.length + LINES_BESIDE) return null
  // Explicit colours, so that a light theme does not invert the code.
  return lines.map((line) => `  ${style.hasColour ? `\x1b[97;40m${line}\x1b[0m` : line}\n`).join('')
}
