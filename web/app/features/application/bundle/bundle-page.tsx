import { useState } from 'react'
import { Redirect, useSearchParams } from 'wouter'
import type { BundleWithItems } from '../../../lib/calls/answers.ts'
import { useAnswer } from '../../../lib/calls/use-call.ts'
import { useMay } from '../../../lib/data/me.ts'
import { useAddressFields } from '../../../lib/page/use-address-fields.ts'
import { importCommand } from '../../../lib/words/client-command.ts'
import { ActivityOf } from '../../../ui/activity/activity-of.tsx'
import { AddVariableDialog } from '../../../ui/add-variable/add-variable-dialog.tsx'
import { EditBundleDialog } from '../../../ui/bundle-forms.tsx'
import { CommandLine } from '../../../ui/command-line.tsx'
import { deferred } from '../../../ui/deferred.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { InstallClient } from '../../../ui/install-client.tsx'
import { Loaded } from '../../../ui/loaded.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { PageHeading } from '../../../ui/page-heading.tsx'
import { NotFound } from '../../../ui/page-note.tsx'
import { SearchField } from '../../../ui/search-field.tsx'
import { Tabs } from '../../../ui/tabs.tsx'
import { DeleteBundleDialog } from '../environment/delete-bundle-dialog.tsx'
import { DuplicateBundleDialog } from '../environment/duplicate-bundle-dialog.tsx'
import { ExportDialog } from '../environment/export-dialog.tsx'
import { LegacyItems } from '../environment/legacy-items.tsx'
import { AttachedKeys } from './attached-keys.tsx'
import { BundleActions, type BundleDialog, BundleIntro, BundleName, RunLine } from './bundle-heading.tsx'

const BundleMachines = deferred('BundleMachines', () => import('../environment/bundle-machines.tsx'))

/** One bundle: the variables it holds in their order, what can be done with it, and what happened to it. */
export function BundlePage({ id, view }: { id: string; view: string | undefined }) {
  const bundle = useAnswer('getBundle', { bundle_id: id })
  return (
    <Loaded
      query={bundle}
      what="the bundle"
      missing={<NotFound what="Bundle" href="/" list="applications" />}
    >
      {(data) => <BundleView bundle={data} view={view} />}
    </Loaded>
  )
}

type BundleViewProps = { bundle: BundleWithItems; view: string | undefined }

function BundleView({ bundle, view }: BundleViewProps) {
  const [params] = useSearchParams()
  const { textOf, set } = useAddressFields(['add'])
  const [open, setOpen] = useState<BundleDialog>(params.has('duplicate') ? 'duplicate' : null)
  const close = () => setOpen(null)
  return (
    <>
      <PageHeading
        title={bundle.name}
        shown={<BundleName name={bundle.name} />}
        intro={<BundleIntro bundle={bundle} />}
        actions={<BundleActions bundle={bundle} onOpen={setOpen} />}
      />
      <BundleTabs bundle={bundle} view={view} />
      <BundlePart bundle={bundle} view={view} />
      {bundle.may_edit && textOf('add') !== '' && (
        <AddVariableDialog bundle={bundle} onClose={() => set('add', '')} />
      )}
      {open === 'edit' && <EditBundleDialog bundle={bundle} onClose={close} />}
      {bundle.may_duplicate && open === 'duplicate' && (
        <DuplicateBundleDialog bundle={bundle} as={params.get('duplicate')} onClose={close} />
      )}
      {open === 'export' && <ExportDialog bundle={bundle} onClose={close} />}
      {open === 'delete' && <DeleteBundleDialog bundle={bundle} onClose={close} />}
    </>
  )
}

const FILTER_FROM = 12

function BundleTabs({ bundle, view }: BundleViewProps) {
  const may = useMay()
  const { id, items } = bundle
  const { textOf, set } = useAddressFields(['query'])
  const href = `/bundles/${id}`
  return (
    <Tabs
      label="Parts of the bundle"
      tabs={[
        { href, name: 'Variables', note: items.length },
        { href: `${href}/machines`, name: 'Machines' },
        { href: `/rules?bundle=${id}`, name: 'Rules' },
        ...(may('listAudit') ? [{ href: `${href}/activity`, name: 'Activity' }] : []),
      ]}
    >
      {view === undefined && (
        <>
          <RunLine bundle={bundle} />
          {items.length >= FILTER_FROM && (
            <SearchField
              label="Filter variables"
              value={textOf('query')}
              onChange={(text) => set('query', text)}
              className="w-full sm:w-48"
            />
          )}
        </>
      )}
    </Tabs>
  )
}

function BundlePart({ bundle, view }: BundleViewProps) {
  if (view === 'activity') return <ActivityOf id={bundle.id} />
  if (view === 'machines') return <BundleMachines bundleId={bundle.id} />
  if (view === 'rules') return <Redirect to={`/rules?bundle=${bundle.id}`} />
  return <BundleContents bundle={bundle} />
}

function BundleContents({ bundle }: { bundle: BundleWithItems }) {
  const [params] = useSearchParams()
  const attached = bundle.items.filter(({ order }) => order !== null)
  const legacy = bundle.items.filter(({ order }) => order === null)
  return (
    <>
      {bundle.may_edit && params.has('new') && <AfterDuplicate bundle={bundle} />}
      {attached.length > 0 ? (
        <AttachedKeys bundle={bundle} items={attached} query={params.get('query') ?? ''} />
      ) : (
        <EmptyState title="This bundle has no variables">
          <p>
            {bundle.may_edit
              ? 'Add a variable, or import a .env file.'
              : 'Owners, and members whom the rules allow, can add variables.'}
          </p>
        </EmptyState>
      )}
      {!bundle.may_edit && attached.length > 0 && (
        <Notice tone="plain" className="mt-3">
          Owners can change this bundle, and so can members whom the rules allow.
        </Notice>
      )}
      {legacy.length > 0 && <LegacyItems bundle={bundle} items={legacy} />}
      <InstallClient />
    </>
  )
}

/** The next step for a bundle that has just been made as a copy of another. */
function AfterDuplicate({ bundle }: { bundle: BundleWithItems }) {
  return (
    <div className="mb-6 max-w-read">
      <h2 className="mb-2 text-sm font-semibold">Import its values from a file</h2>
      <CommandLine command={importCommand(bundle.name)} />
      <p className="mt-1 text-sm text-ink-soft">
        The bundle gets its own keys for values that differ. Other bundles do not change.
      </p>
    </div>
  )
}
