import { isProduction } from '@keyferry/contract/production'
import { Columns3, Copy, Download, Pencil, Trash2, Upload } from 'lucide-react'
import { Link } from 'wouter'
import type { BundleWithItems } from '../../lib/calls/answers.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { LastChange } from '../../ui/last-change.tsx'
import { tagsOf } from './bundle-tree.ts'

/** The dialog that is open on a bundle's page. */
export type Open = 'add' | 'edit' | 'duplicate' | 'export' | 'delete' | null

/** The bundle's name, its last part the most visible. */
export function BundleName({ name }: { name: string }) {
  const cut = name.lastIndexOf('/') + 1
  return (
    <span className="font-mono text-xl tracking-normal [overflow-wrap:anywhere]">
      <EntryName name={name.slice(0, cut)} className="font-normal text-ink-faint" />
      <wbr />
      <EntryName name={name.slice(cut)} />
    </span>
  )
}

/** What is known of a bundle in a few lines. */
export function BundleIntro({ bundle }: { bundle: BundleWithItems }) {
  const tags = tagsOf(bundle)
  return (
    <>
      {bundle.description !== '' && <p>{bundle.description}</p>}
      <p className="mt-1 flex flex-wrap items-center gap-1.5 text-sm">
        <span>
          Changed <LastChange at={bundle.updated_at} by={bundle.updated_by_name} />
        </span>
        {isProduction(bundle) && <Badge tone="danger">Production</Badge>}
        {tags.map((tag) => (
          <Link key={tag} href={`/bundles?tag=${encodeURIComponent(tag)}`}>
            <Badge>{tag}</Badge>
          </Link>
        ))}
      </p>
    </>
  )
}

type BundleActionsProps = {
  bundle: BundleWithItems
  canEdit: boolean
  isOwner: boolean
  onOpen: (open: Open) => void
}

/** What can be done with a bundle as a whole. */
export function BundleActions({ bundle, canEdit, isOwner, onOpen }: BundleActionsProps) {
  return (
    <>
      <CopyButton text={bundle.name} what={bundle.name} />
      {canEdit && <Button label="Edit" onClick={() => onOpen('edit')} icon={Pencil} />}
      <Button label="Duplicate" onClick={() => onOpen('duplicate')} icon={Copy} />
      <ButtonLink
        label="Compare"
        href={`/compare?bundle=${encodeURIComponent(bundle.name)}`}
        icon={Columns3}
      />
      {canEdit && (
        <ButtonLink
          label="Import"
          href={`/bundles/import?bundle=${encodeURIComponent(bundle.name)}`}
          icon={Upload}
        />
      )}
      <Button label="Export" onClick={() => onOpen('export')} icon={Download} />
      {isOwner && <Button label="Delete" onClick={() => onOpen('delete')} icon={Trash2} />}
    </>
  )
}
