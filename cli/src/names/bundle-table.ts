import { isProduction } from '@keyferry/contract/production'
import { type EnvironmentTable, environmentKind, environmentTable } from '@keyferry/contract/siblings'
import { printable } from '../base/printable.ts'
import type { ListedBundle } from '../server/bundles.ts'
import { widthOf } from '../terminal/panel.ts'
import type { TerminalStyle } from '../terminal/terminal-style.ts'

type TableScreen = { readonly style: TerminalStyle; readonly columns: number; readonly nowMs: number }

/** Bundles for a person at a terminal: applications by environments, then the others. On a terminal that is too narrow,
 * a line for each bundle. */
export function bundleTable(bundles: readonly ListedBundle[], screen: TableScreen): string[] {
  const { others, ...shown } = environmentTable(bundles)
  const table = matrix(shown, screen)
  if (table.some((line) => widthOf(line) > screen.columns)) return plainRows(bundles, screen)
  const below = plainRows(others, screen)
  return [...table, ...(table.length > 0 && below.length > 0 ? [''] : []), ...below]
}

function matrix(
  { environments, applications }: Omit<EnvironmentTable<ListedBundle>, 'others'>,
  screen: TableScreen,
): string[] {
  if (applications.length === 0) return []
  const { style } = screen
  const names = ['APPLICATION', ...applications.map(({ name }) => name)]
  const widest = Math.max(...names.map(({ length }) => length))
  const head = line([
    'APPLICATION'.padEnd(widest),
    ...environments.map((name) => `  ${name}`.padEnd(widthOfCell(name))),
  ])
  const rows = applications.map(({ name, cells }) => {
    const shown = environments.map((environment, at) => cellOf(cells[at] ?? null, environment, screen))
    const own = cells.filter((bundle) => bundle !== null)
    return line([printable(name, 80).padEnd(widest), ...shown, marksOf(own, style)])
  })
  return [style.dim(head), ...rows]
}

const widthOfCell = (environment: string): number => Math.max(12, environment.length + '  '.length)

function cellOf(bundle: ListedBundle | null, environment: string, { style, nowMs }: TableScreen): string {
  if (bundle === null) return '   -'.padEnd(widthOfCell(environment))
  const count = String(bundle.keyCount).padStart(4)
  const age = ageText(bundle, nowMs).padEnd(widthOfCell(environment) - count.length - 2)
  return `${style.place(count, kindOf(bundle))}  ${age}`
}

function plainRows(bundles: readonly ListedBundle[], { style, nowMs }: TableScreen): string[] {
  if (bundles.length === 0) return []
  const names = ['BUNDLE', ...bundles.map(({ name }) => printable(name, 80))]
  const widest = Math.max(...names.map(({ length }) => length))
  const rows = bundles.map((bundle) => {
    const name = style.place(printable(bundle.name, 80).padEnd(widest), kindOf(bundle))
    const count = String(bundle.keyCount).padStart(4)
    return line([name, count, ageText(bundle, nowMs).padEnd(8), marksOf([bundle], style)])
  })
  return [style.dim(line(['BUNDLE'.padEnd(widest), 'vars', 'last use'])), ...rows]
}

const kindOf = (bundle: ListedBundle) => environmentKind(bundle.name, isProduction(bundle))

const line = (cells: readonly string[]): string => `  ${cells.join('  ')}`.trimEnd()

function marksOf(bundles: readonly ListedBundle[], style: TerminalStyle): string {
  const sum = (mark: 'expired' | 'due') =>
    bundles.reduce((total, { marks }) => total + (marks?.[mark] ?? 0), 0)
  const [expired, due] = [sum('expired'), sum('due')]
  return [
    ...(expired === 0 ? [] : [style.red(`${style.hasUnicode ? '◆' : '!'} ${expired} expired`)]),
    ...(due === 0 ? [] : [style.yellow(`${style.hasUnicode ? '●' : '*'} ${due} due`)]),
  ].join('  ')
}

const UNITS = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
] as const

function ageText({ lastAtMs }: ListedBundle, nowMs: number): string {
  if (lastAtMs === null || lastAtMs === undefined) return ''
  const ageMs = Math.max(0, nowMs - lastAtMs)
  const [unit, unitMs] = UNITS.find(([, eachMs]) => ageMs >= eachMs) ?? ['now', 0]
  return unitMs === 0 ? unit : `${Math.floor(ageMs / unitMs)} ${unit}`
}
