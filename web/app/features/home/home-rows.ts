import {
  applicationOf,
  compareEnvironments,
  compareNames,
  environmentKind,
  environmentOf,
} from '@keyferry/contract/siblings'
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

/** The bundles as applications × environments. An environment is a column if its name says what it is (dev, staging,
 * prod), or if several applications have it beside others. */
export function homeTable(bundles: readonly Bundle[]): HomeTable {
  const named = bundles.filter(({ name }) => environmentOf(name) !== '')
  const applications = Map.groupBy(named, ({ name }) => applicationOf(name))
  const shared = [...applications.values()].filter(({ length }) => length > 1).flat()
  const columns = Map.groupBy(named, ({ name }) => environmentOf(name))
  const environments = [...columns.keys()]
    .filter((environment) => environmentKind(environment) !== null || isCommon(environment, shared))
    .toSorted(compareEnvironments)
  const isColumn = new Set(environments)
  const isApart = ({ name }: Bundle) => !isColumn.has(environmentOf(name))
  const rows = [...applications].flatMap(([name, own]): HomeRow[] => {
    const cells = environments.map(
      (environment) => own.find((bundle) => environmentOf(bundle.name) === environment) ?? null,
    )
    return own.every(isApart) ? [] : [{ kind: 'application', name, cells }]
  })
  const apart = bundles
    .filter(isApart)
    .map((bundle): HomeRow => ({ kind: 'bundle', name: bundle.name, bundle }))
  return { environments, rows: [...rows.toSorted(byName), ...apart.toSorted(byName)] }
}

function isCommon(environment: string, shared: readonly Bundle[]): boolean {
  return shared.filter(({ name }) => environmentOf(name) === environment).length > 1
}

const byName = (a: HomeRow, b: HomeRow) => compareNames(a.name, b.name)

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
