import { isProduction } from '@keyferry/contract/production'
import { Link } from 'wouter'
import { counted } from '../../lib/words/counted.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { EntryName } from '../../ui/entry-name.tsx'
import { ChevronRight, Folder, Package } from '../../ui/icons.ts'
import { LastChange } from '../../ui/last-change.tsx'
import type { Sort } from './bundle-filters.tsx'
import { type TreeRow, tagsOf } from './bundle-tree.ts'

const ROW =
  'flex min-h-13 w-full items-center gap-3 py-1.5 pr-4 text-left -outline-offset-2 hover:bg-sunken/60'
const INDENTS = ['pl-4', 'pl-10', 'pl-16', 'pl-22', 'pl-28']

type BundleRowProps = { row: TreeRow; sort: Sort; onToggle: (path: string) => void }

/** One line of the list of bundles. */
export function BundleRow({ row, sort, onToggle }: BundleRowProps) {
  const className = classNames(ROW, INDENTS[Math.min(row.depth, INDENTS.length - 1)])
  if (row.kind === 'folder') return <FolderRow row={row} onToggle={onToggle} className={className} />
  return <BundleLink row={row} sort={sort} className={className} />
}

type FolderRowProps = {
  row: Extract<TreeRow, { kind: 'folder' }>
  onToggle: (path: string) => void
  className: string
}

function FolderRow({ row: { path, name, count, open }, onToggle, className }: FolderRowProps) {
  return (
    <button type="button" aria-expanded={open} onClick={() => onToggle(path)} className={className}>
      <ChevronRight
        aria-hidden
        size={16}
        className={classNames('shrink-0 text-ink-faint transition-transform', open && 'rotate-90')}
      />
      <Folder aria-hidden size={18} strokeWidth={1.7} className="shrink-0 text-ink-faint" />
      <span className="font-mono text-sm">{name}/</span>
      <span className="ml-auto text-xs text-ink-faint">
        {count}
        <span className="sr-only"> {count === 1 ? 'bundle' : 'bundles'}</span>
      </span>
    </button>
  )
}

type BundleLinkProps = { row: Extract<TreeRow, { kind: 'bundle' }>; sort: Sort; className: string }

function BundleLink({ row: { bundle, name, depth }, sort, className }: BundleLinkProps) {
  const { key_count, created_at, updated_at, updated_by_name } = bundle
  return (
    <Link href={`/bundles/${bundle.id}`} className={className}>
      <Package
        aria-hidden
        size={18}
        strokeWidth={1.7}
        className={classNames('shrink-0 text-accent', depth > 0 && 'ml-7')}
      />
      <span className="min-w-0 flex-1">
        <span className="block font-mono text-sm font-medium [overflow-wrap:anywhere]">
          <span className="sr-only">{bundle.name}</span>
          <span aria-hidden>
            <EntryName name={name} />
          </span>
        </span>
        {bundle.description !== '' && (
          <span className="line-clamp-1 text-xs text-ink-soft">{bundle.description}</span>
        )}
      </span>
      {isProduction(bundle) && <Badge tone="danger">Production</Badge>}
      <span className="hidden max-w-2/5 flex-wrap justify-end gap-1 sm:flex">
        {tagsOf(bundle)
          .slice(0, 4)
          .map((tag) => (
            <Badge key={tag}>
              <span className="max-w-40 truncate">{tag}</span>
            </Badge>
          ))}
      </span>
      <span className="shrink-0 text-right text-xs text-ink-faint sm:w-44">
        <span className="block">{counted(key_count, 'key')}</span>
        <span className="hidden truncate sm:block">
          {sort === 'created' ? (
            <LastChange at={created_at} by={null} />
          ) : (
            <LastChange at={updated_at} by={updated_by_name} />
          )}
        </span>
      </span>
    </Link>
  )
}
