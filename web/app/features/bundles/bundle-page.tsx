import { Plus } from 'lucide-react'
import { useState } from 'react'
import { useSearchParams } from 'wouter'
import type { BundleItem, BundleWithItems } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-answer.ts'
import { useCanEdit, useIsOwner } from '../../lib/data/me.ts'
import { importCommand, runCommand } from '../../lib/words/client-command.ts'
import { ActivityOf } from '../../ui/activity/activity-of.tsx'
import { AddVariableDialog } from '../../ui/add-variable/add-variable-dialog.tsx'
import { Button } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { deferred } from '../../ui/deferred.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { InstallClient } from '../../ui/install-client.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { NotFound } from '../../ui/page-note.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { EditBundleDialog } from './bundle-forms.tsx'
import { BundleActions, BundleIntro, BundleName, type Open } from './bundle-heading.tsx'
import { DeleteBundleDialog } from './delete-bundle-dialog.tsx'
import { DuplicateBundleDialog } from './duplicate-bundle-dialog.tsx'
import { AttachedKeys } from './entries/attached-keys.tsx'
import { EntryDialog } from './entries/entry-dialog.tsx'
import { LegacyItems } from './entries/legacy-items.tsx'
import { ExportDialog } from './export-dialog.tsx'

const BundleMachines = deferred('BundleMachines', () => import('./bundle-machines.tsx'))
const BundleRules = deferred('BundleRules', () => import('./bundle-rules.tsx'))

/** One bundle: the keys it holds in their order, what can be done with it, and what happened to it. */
export function BundlePage({ id, view }: { id: string; view: string | undefined }) {
  const bundle = useAnswer('getBundle', { bundle_id: id })
  return (
    <Loaded
      query={bundle}
      what="the bundle"
      missing={<NotFound what="Bundle" href="/bundles" list="bundles" />}
    >
      {(data) => <BundleView bundle={data} view={view} />}
    </Loaded>
  )
}

function BundleView({ bundle, view }: { bundle: BundleWithItems; view: string | undefined }) {
  const isOwner = useIsOwner()
  const canEdit = useCanEdit()(bundle)
  const [params] = useSearchParams()
  const [open, setOpen] = useState<Open>(params.has('duplicate') ? 'duplicate' : null)
  const close = () => setOpen(null)
  return (
    <>
      <PageHeading
        title={bundle.name}
        shown={<BundleName name={bundle.name} />}
        intro={<BundleIntro bundle={bundle} />}
        actions={<BundleActions bundle={bundle} canEdit={canEdit} isOwner={isOwner} onOpen={setOpen} />}
      />
      <BundleTabs bundle={bundle} isOwner={isOwner} />
      <BundlePart
        view={view}
        bundle={bundle}
        canEdit={canEdit}
        isOwner={isOwner}
        onAdd={() => setOpen('add')}
      />
      {open === 'add' && <AddVariableDialog bundle={bundle} onClose={close} />}
      {open === 'edit' && <EditBundleDialog bundle={bundle} onClose={close} />}
      {open === 'duplicate' && (
        <DuplicateBundleDialog bundle={bundle} as={params.get('duplicate')} onClose={close} />
      )}
      {open === 'export' && <ExportDialog bundle={bundle} onClose={close} />}
      {open === 'delete' && <DeleteBundleDialog bundle={bundle} onClose={close} />}
    </>
  )
}

function BundleTabs({ bundle: { id, items }, isOwner }: { bundle: BundleWithItems; isOwner: boolean }) {
  const href = `/bundles/${id}`
  return (
    <Tabs
      label="Parts of the bundle"
      tabs={[
        { href, name: 'Keys', note: items.length },
        { href: `${href}/machines`, name: 'Machines' },
        { href: `${href}/rules`, name: 'Rules' },
        ...(isOwner ? [{ href: `${href}/activity`, name: 'Activity' }] : []),
      ]}
    />
  )
}

type BundleContentsProps = {
  bundle: BundleWithItems
  canEdit: boolean
  isOwner: boolean
  onAdd: () => void
}

function BundlePart({ view, ...contents }: BundleContentsProps & { view: string | undefined }) {
  if (view === 'activity') return <ActivityOf id={contents.bundle.id} />
  if (view === 'machines') return <BundleMachines bundleId={contents.bundle.id} />
  if (view === 'rules') return <BundleRules bundleId={contents.bundle.id} />
  return <BundleContents {...contents} />
}

function BundleContents({ bundle, canEdit, isOwner, onAdd }: BundleContentsProps) {
  const [changing, setChanging] = useState<BundleItem | null>(null)
  const attached = bundle.items.filter(({ order }) => order !== null)
  const legacy = bundle.items.filter(({ order }) => order === null)
  return (
    <>
      <div className="mb-6 max-w-2xl">
        <h2 className="mb-2 text-sm font-semibold">Start a program with these keys</h2>
        <InstallClient />
        <CommandLine command={runCommand(bundle.name)} />
        {canEdit && <AfterDuplicate bundle={bundle} />}
      </div>
      <BundleKeys bundle={bundle} items={attached} canEdit={canEdit} onAdd={onAdd} onChange={setChanging} />
      {legacy.length > 0 && <LegacyItems bundleId={bundle.id} items={legacy} isOwner={isOwner} />}
      {changing !== null && <EntryDialog bundle={bundle} item={changing} onClose={() => setChanging(null)} />}
    </>
  )
}

/** The next step for a bundle that has just been made as a copy of another. */
function AfterDuplicate({ bundle }: { bundle: BundleWithItems }) {
  const [params] = useSearchParams()
  if (!params.has('new')) return null
  return (
    <>
      <h2 className="mt-4 mb-2 text-sm font-semibold">Import its values from a file</h2>
      <CommandLine command={importCommand(bundle.name)} />
      <p className="mt-1 text-sm text-ink-soft">
        The bundle gets its own keys for values that differ. Other bundles do not change.
      </p>
    </>
  )
}

type BundleKeysProps = {
  bundle: BundleWithItems
  items: readonly BundleItem[]
  canEdit: boolean
  onAdd: () => void
  onChange: (item: BundleItem) => void
}

function BundleKeys({ bundle, items, canEdit, onAdd, onChange }: BundleKeysProps) {
  return (
    <>
      <div className="mb-2 flex items-center justify-between gap-3">
        <h2 className="text-sm font-semibold">
          Keys <span className="font-normal text-ink-soft">{items.length}</span>
        </h2>
        {canEdit && <Button label="Add variable" size="small" look="primary" onClick={onAdd} icon={Plus} />}
      </div>
      {items.length > 0 ? (
        <AttachedKeys bundle={bundle} items={items} canEdit={canEdit} onChange={onChange} />
      ) : (
        <EmptyState title="This bundle has no keys">
          <p>
            {canEdit
              ? 'Add a variable, or import a .env file.'
              : 'An owner, or the member who created it, can add variables.'}
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
