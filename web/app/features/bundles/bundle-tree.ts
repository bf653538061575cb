import type { Bundle } from '../../lib/calls/answers.ts'

/** One line of the list: a folder, which is a shared beginning of names, or a bundle. `depth` counts the folders
 * above. */
export type TreeRow =
  | { kind: 'folder'; path: string; name: string; depth: number; count: number; open: boolean }
  | { kind: 'bundle'; bundle: Bundle; name: string; depth: number }

type Folder = { path: string; folders: Map<string, Folder>; bundles: Bundle[]; count: number }

/** Bundles as lines of a tree by the `/` in their names, folders first; what is in `closed` folders is left out. */
export function treeRows(bundles: readonly Bundle[], closed: ReadonlySet<string>): TreeRow[] {
  const root = newFolder('')
  for (const bundle of bundles) place(root, bundle)
  return rowsOf(root, 0, closed)
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

function newFolder(path: string): Folder {
  return { path, folders: new Map(), bundles: [], count: 0 }
}

function place(root: Folder, bundle: Bundle): void {
  let folder = root
  folder.count += 1
  for (const part of bundle.name.split('/').slice(0, -1)) {
    const path = folder.path === '' ? part : `${folder.path}/${part}`
    const inner = folder.folders.get(part) ?? newFolder(path)
    folder.folders.set(part, inner)
    inner.count += 1
    folder = inner
  }
  folder.bundles.push(bundle)
}

function rowsOf(folder: Folder, depth: number, closed: ReadonlySet<string>): TreeRow[] {
  const folders = [...folder.folders].toSorted(([a], [b]) => a.localeCompare(b))
  const inner = folders.flatMap(([name, child]): TreeRow[] => {
    const open = !closed.has(child.path)
    const row: TreeRow = { kind: 'folder', path: child.path, name, depth, count: child.count, open }
    return open ? [row, ...rowsOf(child, depth + 1, closed)] : [row]
  })
  const bundles = folder.bundles.map((bundle): TreeRow => {
    return { kind: 'bundle', bundle, name: lastPart(bundle.name), depth }
  })
  return [...inner, ...bundles]
}

function lastPart(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1)
}
