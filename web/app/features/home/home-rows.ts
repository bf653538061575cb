import { environmentTable } from '@keyferry/contract/siblings'
import type { Bundle } from '../../lib/calls/answers.ts'
import { matches } from '../../lib/page/search.ts'
import { tagsOf } from '../../lib/rules/bundle-names.ts'

/** A row of the matrix: an application with its bundle in each environment (null: none), or one bundle whose name
 * follows no environment. */
export type HomeRow =
  | { kind: 'application'; name: string; cells: readonly (Bundle | null)[] }
  | { kind: 'bundle'; name: string; bundle: Bundle }

/** The environments in their order, which are the columns, and the rows: applications first, each by name. */
export type HomeTable = { environments: readonly string[]; rows: readonly HomeRow[] }

export function homeTable(bundles: readonly Bundle[]): HomeTable {
  const { environments, applications, others } = environmentTable(bundles)
  const rows = applications.map((row): HomeRow => ({ kind: 'application', ...row }))
  const apart = others.map((bundle): HomeRow => ({ kind: 'bundle', name: bundle.name, bundle }))
  return { environments, rows: [...rows, ...apart] }
}

export const bundlesIn = (row: HomeRow): Bundle[] =>
  row.kind === 'bundle' ? [row.bundle] : row.cells.filter((bundle) => bundle !== null)

/** What the row says below its name. */
export const descriptionOf = (row: HomeRow): string =>
  bundlesIn(row).find(({ description }) => description !== '')?.description ?? ''

/** Whether a row is left by the filter: each word is in a name or description, and the tag is on a bundle. */
export function isFound(row: HomeRow, { query, tag }: { query: string; tag: string }): boolean {
  const bundles = bundlesIn(row)
  const text = bundles.map(({ name, description }) => `${name} ${description}`).join(' ')
  return matches(text, query) && (tag === '' || bundles.some((bundle) => tagsOf(bundle).includes(tag)))
}
