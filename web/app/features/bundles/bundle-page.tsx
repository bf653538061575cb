import { Columns3, Copy, Download, Pencil, Plus, Trash2, Upload } from 'lucide-react'
import { useState } from 'react'
import { Link } from 'wouter'
import type { BundleItem, BundleWithItems } from '../../lib/answers.ts'
import { useBundle } from '../../lib/bundles.ts'
import { runCommand } from '../../lib/client-command.ts'
import { describeFailure } from '../../lib/failure.ts'
import { useCanEdit, useIsOwner } from '../../lib/me.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { LoadingState } from '../../ui/loading-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { AttachDialog } from './attach-dialog.tsx'
import { AttachedKeys } from './attached-keys.tsx'
import { tagsOf } from './bundle-tree.ts'
import { DeleteBundleDialog } from './delete-bundle-dialog.tsx'
import { DuplicateBundleDialog } from './duplicate-bundle-dialog.tsx'
import { EditBundleDialog } from './edit-bundle-dialog.tsx'
import { EntryDialog } from './entry-dialog.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { LegacyItems } from './legacy-items.tsx'

type Open = 'attach' | 'edit' | 'duplicate' | 'export' | 'delete' | null

/** One bundle: the keys it holds in their order, and what can be done with it. */
export function BundlePage({ id }: { id: string }) {
  const bundle = useBundle(id)
  if (bundle.data !== undefined) return <BundleView bundle={bundle.data} />
  if (bundle.error !== null && describeFailure(bundle.error).status === 404) return <BundleNotFound />
  return <LoadingState error={bundle.error} onRetry={() => void bundle.refetch()} what="the bundle" />
}

function BundleView({ bundle }: { bundle: BundleWithItems }) {
  const isOwner = useIsOwner()
  const canEdit = useCanEdit()(bundle)
  const [open, setOpen] = useState<Open>(null)
  const [changing, setChanging] = useState<BundleItem | null>(null)
  const attached = bundle.items.filter(({ order }) => order !== null)
  const legacy = bundle.items.filter(({ order }) => order === null)
  const close = () => setOpen(null)
  return (
    <>
      <PageHeading
        title={bundle.name}
        shown={<BundleName name={bundle.name} />}
        intro={<BundleIntro bundle={bundle} />}
        actions={<BundleActions bundle={bundle} canEdit={canEdit} isOwner={isOwner} onOpen={setOpen} />}
      />
      <div className="mb-6 max-w-2xl">
        <h2 className="mb-2 text-sm font-semibold">Start a program with these keys</h2>
        <CommandLine command={runCommand(bundle.name)} />
      </div>
      <BundleKeys
        bundle={bundle}
        items={attached}
        canEdit={canEdit}
        onAttach={() => setOpen('attach')}
        onChange={setChanging}
      />
      {legacy.length > 0 && <LegacyItems bundleId={bundle.id} items={legacy} isOwner={isOwner} />}
      {changing !== null && <EntryDialog bundle={bundle} item={changing} onClose={() => setChanging(null)} />}
      {open === 'attach' && <AttachDialog bundle={bundle} onClose={close} />}
      {open === 'edit' && <EditBundleDialog bundle={bundle} onClose={close} />}
      {open === 'duplicate' && <DuplicateBundleDialog bundle={bundle} onClose={close} />}
      {open === 'export' && <ExportDialog bundle={bundle} onClose={close} />}
      {open === 'delete' && <DeleteBundleDialog bundle={bundle} onClose={close} />}
    </>
  )
}

type BundleKeysProps = {
  bundle: BundleWithItems
  items: readonly BundleItem[]
  canEdit: boolean
  onAttach: () => void
  onChange: (item: BundleItem) => void
}

function BundleKeys({ bundle, items, canEdit, onAttach, onChange }: BundleKeysProps) {
  return (
    <>
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 className="text-sm font-semibold">
          Keys <span className="font-normal text-ink-soft">{items.length}</span>
        </h2>
        {canEdit && (
          <Button size="small" onClick={onAttach}>
            <Plus aria-hidden size={15} /> Attach keys
          </Button>
        )}
      </div>
      {items.length > 0 ? (
        <AttachedKeys bundle={bundle} items={items} canEdit={canEdit} onChange={onChange} />
      ) : (
        <EmptyState title="This bundle has no keys">
          <p>
            {canEdit
              ? 'Attach keys from the library.'
              : 'An owner, or the member who created it, can attach keys.'}
          </p>
        </EmptyState>
      )}
      {!canEdit && items.length > 0 && (
        <Notice tone="plain" className="mt-3">
          Owners change this bundle, and so does the member who created it. You can approve requests for it,
          export it with masked values, and duplicate it.
        </Notice>
      )}
    </>
  )
}

function BundleName({ name }: { name: string }) {
  const cut = name.lastIndexOf('/') + 1
  return (
    <span className="font-mono text-xl tracking-normal [overflow-wrap:anywhere]">
      <span className="font-normal text-ink-faint">
        <EntryName name={name.slice(0, cut)} />
      </span>
      <wbr />
      <EntryName name={name.slice(cut)} />
    </span>
  )
}

function BundleIntro({ bundle }: { bundle: BundleWithItems }) {
  const tags = tagsOf(bundle)
  if (bundle.description === '' && tags.length === 0) return null
  return (
    <>
      {bundle.description !== '' && <p>{bundle.description}</p>}
      {tags.length > 0 && (
        <p className="mt-2 flex flex-wrap gap-1.5">
          {tags.map((tag) => (
            <Link key={tag} href={`/bundles?tag=${encodeURIComponent(tag)}`}>
              <Badge>{tag}</Badge>
            </Link>
          ))}
        </p>
      )}
    </>
  )
}

type BundleActionsProps = {
  bundle: BundleWithItems
  canEdit: boolean
  isOwner: boolean
  onOpen: (open: Open) => void
}

function BundleActions({ bundle, canEdit, isOwner, onOpen }: BundleActionsProps) {
  return (
    <>
      <CopyButton text={bundle.name} what={bundle.name} />
      {canEdit && (
        <Button onClick={() => onOpen('edit')}>
          <Pencil aria-hidden size={16} /> Edit
        </Button>
      )}
      <Button onClick={() => onOpen('duplicate')}>
        <Copy aria-hidden size={16} /> Duplicate
      </Button>
      <Link href={`/compare?bundle=${encodeURIComponent(bundle.name)}`} className={buttonClasses()}>
        <Columns3 aria-hidden size={16} /> Compare
      </Link>
      {canEdit && (
        <Link href={`/bundles/import?bundle=${encodeURIComponent(bundle.name)}`} className={buttonClasses()}>
          <Upload aria-hidden size={16} /> Import
        </Link>
      )}
      <Button onClick={() => onOpen('export')}>
        <Download aria-hidden size={16} /> Export
      </Button>
      {isOwner && (
        <Button onClick={() => onOpen('delete')}>
          <Trash2 aria-hidden size={16} /> Delete
        </Button>
      )}
    </>
  )
}

function BundleNotFound() {
  return (
    <>
      <PageHeading title="Bundle not found" />
      <p className="text-ink-soft">It was deleted, or it belongs to another workspace.</p>
      <Link href="/bundles" className="link mt-4 inline-block">
        Go to the bundles
      </Link>
    </>
  )
}
