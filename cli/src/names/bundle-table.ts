import {
  applicationOf,
  compareEnvironments,
  compareNames,
  environmentKind,
  environmentOf,
} from '@keyferry/contract/siblings'
import { groupBy } from '../base/group-by.ts'
import { printable } from '../base/printable.ts'
import type { ListedBundle } from '../server/bundles.ts'
import { widthOf } from '../terminal/panel.ts'
import type { TerminalStyle } from '../terminal/terminal-style.ts'

type TableScreen = { readonly style: TerminalStyle; readonly columns: number; readonly nowMs: number }

const isInTable = ({ name }: ListedBundle): boolean => environmentKind(environmentOf(name)) !== null

/** Bundles for a person at a terminal: applications by environments, then the others. On a terminal that is too narrow,
 * a line for each bundle. */
export function bundleTable(bundles: readonly ListedBundle[], screen: TableScreen): string[] {
  const table = matrix(bundles.filter(isInTable), screen)
  if (table.some((line) => widthOf(line) > screen.columns)) return plainRows(bundles, screen)
  const others = plainRows(
    bundles.filter((bundle) => !isInTable(bundle)),
    screen,
  )
  return [...table, ...(table.length > 0 && others.length > 0 ? [''] : []), ...others]
}

function matrix(bundles: readonly ListedBundle[], screen: TableScreen): string[] {
  if (bundles.length === 0) return []
  const { style } = screen
  const environments = [...new Set(bundles.map(({ name }) => environmentOf(name)))].toSorted(
    compareEnvironments,
  )
  const applications = groupBy(bundles, ({ name }) => applicationOf(name))
  const names = ['APPLICATION', ...applications.keys()]
  const widest = Math.max(...names.map(({ length }) => length))
  const rowOf = (application: string, row: readonly ListedBundle[]) => {
    const cells = environments.map((environment) =>
      cellOf(
        row.find(({ name }) => environmentOf(name) === environment),
        environment,
        screen,
      ),
    )
    return line([printable(application, 80).padEnd(widest), ...cells, marksOf(row, style)])
  }
  const head = line([
    'APPLICATION'.padEnd(widest),
    ...environments.map((name) => `  ${name}`.padEnd(widthOfCell(name))),
  ])
  return [
    style.dim(head),
    ...[...applications].toSorted(([a], [b]) => compareNames(a, b)).map(([name, row]) => rowOf(name, row)),
  ]
}

const widthOfCell = (environment: string): number => Math.max(12, environment.length + '  '.length)

function cellOf(
  bundle: ListedBundle | undefined,
  environment: string,
  { style, nowMs }: TableScreen,
): string {
  if (bundle === undefined) return '   -'.padEnd(widthOfCell(environment))
  const count = String(bundle.keyCount).padStart(4)
  const age = ageText(bundle, nowMs).padEnd(widthOfCell(environment) - count.length - 2)
  return `${style.place(count, `${environment}/`)}  ${age}`
}

function plainRows(bundles: readonly ListedBundle[], { style, nowMs }: TableScreen): string[] {
  if (bundles.length === 0) return []
  const names = ['BUNDLE', ...bundles.map(({ name }) => printable(name, 80))]
  const widest = Math.max(...names.map(({ length }) => length))
  const rows = bundles.map((bundle) => {
    const name = style.place(printable(bundle.name, 80).padEnd(widest), bundle.name)
    const count = String(bundle.keyCount).padStart(4)
    return line([name, count, ageText(bundle, nowMs).padEnd(8), marksOf([bundle], style)])
  })
  return [style.dim(line(['BUNDLE'.padEnd(widest), 'keys', 'last use'])), ...rows]
}

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
