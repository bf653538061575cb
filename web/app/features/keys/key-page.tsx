import { applicationOf, compareEnvironments, environmentOf } from '@keyferry/contract/siblings'
import { useState } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import type { Key, KeyVersion, KeyWithBundles } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { isStale, useHolders } from '../../lib/data/holders.ts'
import { useMay } from '../../lib/data/me.ts'
import { applicationHref } from '../../lib/page/places.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { ActivityOf } from '../../ui/activity/activity-of.tsx'
import { ValueEditor } from '../../ui/cell-form/value-editor.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { Activity, Copy, Pencil, Trash2 } from '../../ui/icons.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Menu, type MenuItem } from '../../ui/menu.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { NotFound } from '../../ui/page-note.tsx'
import { DeleteKeys } from '../../ui/selection/key-dialogs.tsx'
import { useCopying } from '../../ui/use-copying.ts'
import { DetailsForm } from './details-form.tsx'
import { EnvironmentTabs } from './environment-tabs.tsx'
import { oldHoldersText } from './holder-words.ts'
import { KeyFacts } from './key-facts.tsx'
import { KeyVersions } from './key-versions.tsx'
import { ValuePanel } from './value-panel.tsx'
import { WhoHoldsIt } from './who-holds-it.tsx'

type Shown = {
  item: KeyWithBundles
  /** The bundle that the page is about, of those that contain the key. */
  bundle: KeyWithBundles['bundles'][number] | undefined
  /** The page's address with another part of it open. */
  hrefOf: (part: string) => string
}

/** One key: its value in each environment, who has which version of it, and how to change it. */
export function KeyPage({ id, view }: { id: string; view: string | undefined }) {
  const key = useAnswer('getKey', { key_id: id })
  const [params] = useSearchParams()
  return (
    <Loaded
      query={key}
      what="the variable"
      missing={<NotFound what="Variable" href="/" list="applications" />}
    >
      {(item) => {
        const asked = params.get('bundle')
        const hrefOf = (part: string) => `/keys/${id}${part}${asked === null ? '' : `?bundle=${asked}`}`
        return <KeyView shown={{ item, bundle: bundleOf(item, asked), hrefOf }} view={view} />
      }}
    </Loaded>
  )
}

/** The bundle that the person came from, or the first in the order of environments. */
function bundleOf({ bundles }: KeyWithBundles, asked: string | null) {
  const [first] = bundles.toSorted((a, b) =>
    compareEnvironments(environmentOf(a.name), environmentOf(b.name)),
  )
  return bundles.find(({ id }) => id === asked) ?? first
}

function KeyView({ shown, view }: { shown: Shown; view: string | undefined }) {
  const { item, bundle } = shown
  const versions = useAnswer('listKeyVersions', { key_id: item.id, limit: 1_000 })
  return (
    <>
      <KeyHeading {...shown} />
      {bundle !== undefined && <EnvironmentTabs variable={bundle.as} bundle={bundle} />}
      {view === 'activity' ? (
        <ActivityOf id={item.id} />
      ) : (
        <Loaded query={versions} what="the versions">
          {(data) => <Overview {...shown} versions={data} view={view} />}
        </Loaded>
      )}
    </>
  )
}

type OverviewProps = Shown & { versions: readonly KeyVersion[]; view: string | undefined }

function Overview({ item, bundle, hrefOf, versions, view }: OverviewProps) {
  const [, navigate] = useLocation()
  return (
    <div className="space-y-3">
      {view === 'change' && item.may_change ? (
        <section aria-label="Value" className="rounded-lg bg-surface p-3 pb-1 text-xs shadow-card">
          <ValueEditor
            keyId={item.id}
            seen={item}
            bundle={bundle}
            onDone={(saved) =>
              navigate(saved === null || saved.id === item.id ? hrefOf('') : `/keys/${saved.id}`)
            }
          />
        </section>
      ) : (
        <ValuePanel item={item} hrefOf={hrefOf} />
      )}
      {view === 'details' && item.may_change && (
        <section aria-label="Details" className="rounded-lg bg-surface p-4 shadow-card sm:p-6">
          <DetailsForm item={item} onDone={() => navigate(hrefOf(''))} />
        </section>
      )}
      <MustFetchAgain item={item} />
      <WhoHoldsIt item={item} versions={versions} />
      <div className="grid gap-8 p-4 sm:p-6 lg:grid-cols-3">
        <KeyFacts item={item} hrefOf={hrefOf} />
        <KeyVersions item={item} versions={versions} />
      </div>
    </div>
  )
}

function KeyHeading({ item, bundle, hrefOf }: Shown) {
  const [deleting, setDeleting] = useState(false)
  const [, navigate] = useLocation()
  const name = variableOf(item, bundle?.id)
  return (
    <>
      <div className="flex items-start gap-2">
        <div className="min-w-0 flex-1">
          <PageHeading
            title={bundle === undefined ? name : `${name} in ${bundle.name}`}
            shown={
              <span className="[overflow-wrap:anywhere]">
                <Crumbs bundle={bundle} />
                <EntryName name={name} className="font-mono" />
              </span>
            }
          />
        </div>
        <KeyMenu {...{ item, name, hrefOf }} onDelete={() => setDeleting(true)} />
      </div>
      {deleting && (
        <DeleteKeys keys={[item]} onDone={() => navigate('/')} onClose={() => setDeleting(false)} />
      )}
    </>
  )
}

function Crumbs({ bundle }: Pick<Shown, 'bundle'>) {
  return (
    <span className="hidden font-normal text-ink-soft sm:inline">
      <Link href="/" className="hover:underline">
        Applications
      </Link>
      {' / '}
      {bundle !== undefined && (
        <>
          <Link href={applicationHref(bundle.name)} className="hover:underline">
            {applicationOf(bundle.name)}
          </Link>
          {' / '}
        </>
      )}
    </span>
  )
}

type KeyMenuProps = Pick<Shown, 'item' | 'hrefOf'> & { name: string; onDelete: () => void }

function KeyMenu({ item, name, hrefOf, onDelete }: KeyMenuProps) {
  const may = useMay()
  const [, navigate] = useLocation()
  const { copy } = useCopying(name)
  const items: MenuItem[] = [
    { label: 'Copy name', icon: Copy, onPick: copy },
    ...(item.may_change
      ? [{ label: 'Change details', icon: Pencil, onPick: () => navigate(hrefOf('/details')) }]
      : []),
    ...(may('listAudit')
      ? [{ label: 'Activity', icon: Activity, onPick: () => navigate(hrefOf('/activity')) }]
      : []),
    ...(may('deleteKey') ? [{ label: 'Delete', icon: Trash2, gap: true, onPick: onDelete }] : []),
  ]
  return <Menu label={`More for ${name}`} items={items} />
}

/** Who must fetch again: named until each of them has the current value, or is dismissed. */
function MustFetchAgain({ item }: { item: Key }) {
  const stale = useHolders(item.id).data?.filter((holder) => isStale(holder, item.version)) ?? []
  if (stale.length === 0) return null
  const { name } = item.value_set_by
  return (
    <Notice tone="caution" role="status">
      <strong className="font-semibold">{oldHoldersText(stale)}.</strong> They fetched before{' '}
      {name ?? 'a former user'} changed it. End the old value at its issuer once all have fetched again.
    </Notice>
  )
}
