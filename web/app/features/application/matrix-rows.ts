import type { ComparedCell, ComparedRow } from '../../lib/calls/answers.ts'
import { matches } from '../../lib/page/search.ts'

/** What the table can show: all variables, or those with a mark. */
export const FILTERS = {
  all: 'All',
  missing: 'Missing',
  due: 'Due',
  older: 'Older holders',
} as const

export type Filter = keyof typeof FILTERS

/** A variable with what is to say about it: now, and since the page was opened, so that no row leaves its place when
 * its mark goes or comes. */
export type MatrixRow = ComparedRow & {
  filters: ReadonlySet<Filter>
  kept: ReadonlySet<Filter>
  needsLook: boolean
}

const MARKS: readonly Filter[] = ['missing', 'due', 'older']

/** The rows of an application: those that need a look first, then by name.
 * @param before the rows as they were shown before */
export function matrixRows(rows: readonly ComparedRow[], before: readonly MatrixRow[] = []): MatrixRow[] {
  const shown = new Map(before.map((row) => [row.name, row]))
  const marked = rows.map((row) => {
    const filters = filtersOf(row)
    const known = shown.get(row.name)
    const lacksParts = row.cells.some(({ facts }) => (facts?.missing_parts.length ?? 0) > 0)
    const needsLook = known?.needsLook ?? (lacksParts || MARKS.some((mark) => filters.has(mark)))
    return { ...row, filters, kept: known?.kept.union(filters) ?? filters, needsLook }
  })
  return [...marked.filter(({ needsLook }) => needsLook), ...marked.filter(({ needsLook }) => !needsLook)]
}

function filtersOf({ cells }: ComparedRow): ReadonlySet<Filter> {
  const filters = new Set<Filter>(['all'])
  for (const { state, facts } of cells) {
    if (state === 'missing') filters.add('missing')
    if (facts != null && facts.due !== null) filters.add('due')
    if ((facts?.older_holders ?? 0) > 0) filters.add('older')
  }
  return filters
}

export function isFilter(text: string): text is Filter {
  return text in FILTERS
}

export function shownRows(rows: readonly MatrixRow[], filter: Filter, query: string): MatrixRow[] {
  return rows.filter((row) => row.kept.has(filter) && matches(row.name, query))
}

export const countOf = (rows: readonly MatrixRow[], filter: Filter, of: 'filters' | 'kept' = 'filters') =>
  rows.filter((row) => row[of].has(filter)).length

/** The first column that delivers the same key, if it is before this one; null for a value of its own. */
export function sameAs(cells: readonly ComparedCell[], column: number): number | null {
  const keyId = cells[column]?.key_id ?? null
  const first = cells.findIndex(({ key_id }) => key_id !== null && key_id === keyId)
  return first === -1 || first === column ? null : first
}

/** The names that a bundle lacks, each with the first of the others that has a key for it which the person may put into
 * another bundle. */
export function copiesTo(bundleId: string, rows: readonly ComparedRow[]) {
  return rows.flatMap(({ name, cells }) => {
    const cell = cells.find(({ bundle_id }) => bundle_id === bundleId)
    const source = cells.find(({ key_id, facts }) => key_id !== null && facts?.may_show === true)
    return cell?.state === 'missing' && source !== undefined ? [{ name, cell, source }] : []
  })
}

/** The cells of a variable that have another value than this bundle's, without composed ones. */
export function otherValues(bundleId: string, { cells }: ComparedRow): ComparedCell[] {
  const plain = cells.filter(({ key_id, template_parts }) => key_id !== null && template_parts === undefined)
  const own = plain.find(({ bundle_id }) => bundle_id === bundleId)
  return own === undefined ? [] : plain.filter(({ key_id }) => key_id !== own.key_id)
}

/** The name of a cell that is being edited. */
export const cellId = (name: string, bundleId: string) => `${name} ${bundleId}`
