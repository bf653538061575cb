import { useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { KeyWithBundles } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { isStale, useHolders } from '../../lib/data/holders.ts'
import { useMay } from '../../lib/data/me.ts'
import { variableOf } from '../../lib/rules/variables.ts'
import { dueText } from '../../lib/words/due.ts'
import { elsewhereText } from '../../lib/words/last-change.ts'
import { ago, dateTime } from '../../lib/words/time.ts'
import { ActivityOf } from '../../ui/activity/activity-of.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { CopyButton } from '../../ui/copy-button.tsx'
import { EntryLink, EntryName } from '../../ui/entry-name.tsx'
import { Facts } from '../../ui/facts.tsx'
import { Trash2 } from '../../ui/icons.ts'
import { KeyValue } from '../../ui/key-value.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { NotFound } from '../../ui/page-note.tsx'
import { Section } from '../../ui/section.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { DeleteKeyDialog } from './delete-key-dialog.tsx'
import { EditKeyForm } from './edit-key-form.tsx'
import { KeyHistory } from './key-history.tsx'
import { KeyHolders } from './key-holders.tsx'

/** One key: what it is, where it is used, how to change it, its history and its holders. */
export function KeyPage({ id, view }: { id: string; view: string | undefined }) {
  const key = useAnswer('getKey', { key_id: id })
  return (
    <Loaded query={key} what="the key" missing={<NotFound what="Key" href="/keys" list="keys" />}>
      {(data) => <KeyView item={data} view={view} />}
    </Loaded>
  )
}

function KeyView({ item, view }: { item: KeyWithBundles; view: string | undefined }) {
  const may = useMay()
  const [deleting, setDeleting] = useState(false)
  const [params] = useSearchParams()
  const name = variableOf(item, params.get('bundle'))
  const [only, ...others] = item.bundles
  const bundle =
    item.bundles.find(({ id }) => id === params.get('bundle')) ?? (others.length === 0 ? only : undefined)
  return (
    <>
      <PageHeading
        title={bundle === undefined ? name : `${name} in ${bundle.name}`}
        shown={
          <span className="font-mono text-lg tracking-normal [overflow-wrap:anywhere]">
            <EntryName name={name} />
            {bundle !== undefined && (
              <span className="font-normal text-ink-faint">
                {' '}
                in <EntryLink href={`/bundles/${bundle.id}`} name={bundle.name} className="hover:underline" />
              </span>
            )}
          </span>
        }
        intro={<KeyIntro item={item} />}
        actions={
          <>
            <CopyButton text={name} what={name} />
            {may('deleteKey') && <Button label="Delete" onClick={() => setDeleting(true)} icon={Trash2} />}
          </>
        }
      />
      <KeyTabs item={item} />
      <KeyPart item={item} view={view} />
      {deleting && <DeleteKeyDialog item={item} onClose={() => setDeleting(false)} />}
    </>
  )
}

function KeyIntro({ item }: { item: KeyWithBundles }) {
  const { value_set_at, value_changed_elsewhere_at: elsewhere } = item
  const due = dueText(item)
  const times = [value_set_at, ...(elsewhere === null ? [] : [elsewhere])]
  return (
    <p className="flex flex-wrap items-center gap-x-2">
      <span title={times.map(dateTime).join('; ')}>{originText(item)}</span>
      {due !== null && (
        <span className={classNames('font-medium', item.due === 'expired' ? 'text-danger' : 'text-caution')}>
          {due}
        </span>
      )}
    </p>
  )
}

function originText({ version, value_set_at, value_set_by, value_changed_elsewhere_at }: KeyWithBundles) {
  const by = `${ago(value_set_at)} by ${value_set_by.name ?? 'a former user'}`
  if (value_changed_elsewhere_at === null) return `Version ${version}, set ${by}`
  return `Version ${version}, moved here ${by}; ${elsewhereText(value_changed_elsewhere_at)}`
}

function KeyTabs({ item: { id, version } }: { item: KeyWithBundles }) {
  const may = useMay()
  const holders = useHolders(id).data
  const stale = holders?.filter((holder) => isStale(holder, version)).length ?? 0
  return (
    <Tabs
      label="Parts of the key"
      tabs={[
        { href: `/keys/${id}`, name: 'Value' },
        { href: `/keys/${id}/history`, name: 'History', note: `v${version}` },
        {
          href: `/keys/${id}/holders`,
          name: 'Holders',
          note: holders === undefined ? '' : `${holders.length}${stale === 0 ? '' : `, ${stale} stale`}`,
        },
        ...(may('listAudit') ? [{ href: `/keys/${id}/activity`, name: 'Activity' }] : []),
      ]}
    />
  )
}

function KeyPart({ item, view }: { item: KeyWithBundles; view: string | undefined }) {
  if (view === 'history') return <KeyHistory item={item} />
  if (view === 'holders') return <KeyHolders item={item} />
  if (view === 'activity') return <ActivityOf id={item.id} />
  return (
    <div className="grid gap-8 lg:grid-cols-[1fr_18rem]">
      {item.may_change ? <EditKeyForm item={item} /> : <ReadOnlyKey item={item} />}
      <WhereUsed item={item} />
    </div>
  )
}

function ReadOnlyKey({ item }: { item: KeyWithBundles }) {
  return (
    <div className="space-y-4">
      <Facts
        facts={{ Value: <ReadOnlyValue item={item} />, Description: item.description || 'None' }}
        className="grid-cols-[7rem_1fr] gap-y-2"
      />
      <Notice tone="plain">
        Owners can change this key, and so can members whom the rules allow. By default, that is the member
        who set its value.
      </Notice>
    </div>
  )
}

function ReadOnlyValue({ item: { value, is_secret } }: { item: KeyWithBundles }) {
  if (is_secret) return <KeyValue value={value} isSecret />
  return (
    <>
      <pre className="font-mono text-sm whitespace-pre-wrap">{value}</pre>
      <CopyButton text={value} what="the value" />
    </>
  )
}

function WhereUsed({ item }: { item: KeyWithBundles }) {
  const { name: keyName, bundles } = item
  const variable = variableOf(item)
  return (
    <Section title="Used in" count={bundles.length}>
      {bundles.length === 0 ? (
        <p className="mt-2 text-sm text-ink-soft">No bundle holds this key, so no request can ask for it.</p>
      ) : (
        <ul className="mt-2 max-h-96 divide-y divide-line overflow-auto rounded-lg border border-line bg-surface">
          {bundles.map(({ id, name, as }) => (
            <li key={id}>
              <Link
                href={`/bundles/${id}`}
                className="block px-3 py-2 font-mono text-sm [overflow-wrap:anywhere] -outline-offset-2 hover:bg-sunken/60"
              >
                <EntryName name={name} />
                {as !== variable && (
                  <span className="block text-xs text-ink-soft">
                    as <EntryName name={as} />
                  </span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <details className="mt-4 text-sm">
        <summary className="text-ink-soft">Details</summary>
        <p className="mt-1 text-ink-soft">
          Name in the library:{' '}
          <EntryName name={keyName} className="font-mono [overflow-wrap:anywhere] text-ink" />
        </p>
      </details>
    </Section>
  )
}
