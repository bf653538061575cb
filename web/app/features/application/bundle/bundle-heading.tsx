import { isProduction } from '@keyferry/contract/production'
import { Link, useLocation } from 'wouter'
import type { BundleWithItems } from '../../../lib/calls/answers.ts'
import { useMay } from '../../../lib/data/me.ts'
import { applicationHref } from '../../../lib/page/places.ts'
import { useAddressFields } from '../../../lib/page/use-address-fields.ts'
import { tagsOf } from '../../../lib/rules/bundle-names.ts'
import { runCommand } from '../../../lib/words/client-command.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button, ButtonLink } from '../../../ui/button.tsx'
import { CopyButton } from '../../../ui/copy-button.tsx'
import { EntryName } from '../../../ui/entry-name.tsx'
import { Columns3, Copy, Download, Pencil, Plus, Trash2, Upload } from '../../../ui/icons.ts'
import { LastChange } from '../../../ui/last-change.tsx'
import { Menu, type MenuItem } from '../../../ui/menu.tsx'

/** The dialog that is open on a bundle's page. */
export type BundleDialog = 'edit' | 'duplicate' | 'export' | 'delete' | null

/** The bundle's name, its last part the most visible. */
export function BundleName({ name }: { name: string }) {
  const cut = name.lastIndexOf('/') + 1
  return (
    <span className="font-mono text-lg tracking-normal [overflow-wrap:anywhere]">
      <EntryName name={name.slice(0, cut)} className="font-normal text-ink-faint" />
      <wbr />
      <EntryName name={name.slice(cut)} />
    </span>
  )
}

/** What is known of a bundle, in one line where there is room. */
export function BundleIntro({ bundle }: { bundle: BundleWithItems }) {
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm lg:flex-nowrap">
      {isProduction(bundle) && <Badge tone="danger">Production</Badge>}
      {bundle.description !== '' && (
        <span title={bundle.description} className="min-w-0 truncate">
          {bundle.description}
        </span>
      )}
      <span className="shrink-0 text-ink-faint">
        Changed <LastChange at={bundle.updated_at} by={bundle.updated_by_name} />
      </span>
      {tagsOf(bundle).map((tag) => (
        <Link key={tag} href={`/?tag=${encodeURIComponent(tag)}`} className="max-w-full truncate">
          <Badge>{tag}</Badge>
        </Link>
      ))}
    </div>
  )
}

/** What can be done with a bundle as a whole: the frequent actions as buttons, the others in a menu. */
export function BundleActions({
  bundle,
  onOpen,
}: {
  bundle: BundleWithItems
  onOpen: (open: BundleDialog) => void
}) {
  const may = useMay()
  const canEdit = bundle.may_edit
  const [, navigate] = useLocation()
  const { set } = useAddressFields(['add'])
  const named = `bundle=${encodeURIComponent(bundle.name)}`
  const items: MenuItem[] = [
    ...(canEdit ? [{ label: 'Edit', icon: Pencil, onPick: () => onOpen('edit') }] : []),
    ...(bundle.may_duplicate ? [{ label: 'Duplicate', icon: Copy, onPick: () => onOpen('duplicate') }] : []),
    { label: 'All environments', icon: Columns3, onPick: () => navigate(applicationHref(bundle.name)) },
    { label: 'Export', icon: Download, onPick: () => onOpen('export') },
    ...(may('deleteBundle')
      ? [{ label: 'Delete', icon: Trash2, gap: true, onPick: () => onOpen('delete') }]
      : []),
  ]
  return (
    <>
      {canEdit && (
        <Button label="Add variable" look="primary" onClick={() => set('add', 'variable')} icon={Plus} />
      )}
      {canEdit && <ButtonLink label="Import" href={`/bundles/import?${named}`} icon={Upload} />}
      <Menu label={`More for ${bundle.name}`} items={items} />
    </>
  )
}

/** The line that starts a program with the bundle. */
export function RunLine({ bundle: { name } }: { bundle: BundleWithItems }) {
  const command = runCommand(name)
  return (
    <div className="flex max-w-full min-w-0 items-center rounded-md border border-line bg-sunken pl-3">
      <code title={command} className="min-w-0 truncate text-xs">
        {command}
      </code>
      <CopyButton text={command} what="the command" />
    </div>
  )
}
