import type { Measurement } from './measurement.ts'

const HEADINGS = ['what', 'subject', 'beside', 'figure', 'target', 'verdict'] as const

/** The measurements as a table in Markdown, its columns aligned. */
export function tableOf(measurements: readonly Measurement[]): string {
  const rows = [HEADINGS, HEADINGS.map(() => '---'), ...measurements.map(cellsOf)]
  const widths = HEADINGS.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows
    .map((row) => `| ${row.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |\n`)
    .join('')
}

function cellsOf({ what, subject, baseline, figure, target, isMet }: Measurement): string[] {
  return [what, subject, baseline, figure, target, isMet === null ? '' : isMet ? 'met' : 'MISSED']
}
