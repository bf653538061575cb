import { compareEnvironments } from '@keyferry/contract/siblings'
import type { Bundle } from '../../lib/calls/answers.ts'

/** One line of the list: a folder, which is a shared beginning of names, or a bundle. `depth` counts the folders
 * above. */
export type TreeRow =
  | { kind: 'folder'; path: string; name: string; depth: number; count: number; open: boolean }
  | { kind: 'bundle'; bundle: Bundle; name: string; depth: number }

/** Bundles as lines of a tree by the `/` in their names, folders first and environments in their order; what is in
 * `closed` folders is left out.
 * @param folder the beginning that all names share; empty, or ends with `/` */
export function treeRows(
  bundles: readonly Bundle[],
  closed: ReadonlySet<string>,
  folder = '',
): readonly TreeRow[] {
  const depth = folder.split('/').length - 1
  const isDeeper = ({ name }: Bundle) => name.includes('/', folder.length)
  const own = bundles.filter((bundle) => !isDeeper(bundle))
  const folders = Map.groupBy(bundles.filter(isDeeper), ({ name }) =>
    name.slice(folder.length, name.indexOf('/', folder.length)),
  )
  const inner = [...folders]
    .toSorted(([a], [b]) => compareEnvironments(folder + a, folder + b))
    .flatMap(([name, within]): TreeRow[] => {
      const path = folder + name
      const open = !closed.has(path)
      const row: TreeRow = { kind: 'folder', path, name, depth, count: within.length, open }
      return open ? [row, ...treeRows(within, closed, `${path}/`)] : [row]
    })
  const rows = own.map((bundle): TreeRow => {
    return { kind: 'bundle', bundle, name: bundle.name.slice(folder.length), depth }
  })
  return [...inner, ...rows]
}

/** Bundles as plain lines with their whole names. */
export function flatRows(bundles: readonly Bundle[]): TreeRow[] {
  return bundles.map((bundle) => ({ kind: 'bundle', bundle, name: bundle.name, depth: 0 }))
}

export function rowKey(row: TreeRow): string {
  return row.kind === 'folder' ? `folder:${row.path}` : row.bundle.id
}

/** The tags of a bundle, as the comma-separated text lists them. */
export function tagsOf({ tags }: { tags: string }): string[] {
  return tags.split(',').filter((tag) => tag !== '')
}
