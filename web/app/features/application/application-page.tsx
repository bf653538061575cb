import { isProduction } from '@keyferry/contract/production'
import { applicationOf } from '@keyferry/contract/siblings'
import { useMemo, useRef, useState } from 'react'
import { Link, useSearchParams } from 'wouter'
import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useSelection } from '../../lib/page/selection.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { tagsOf } from '../../lib/rules/bundle-names.ts'
import { importCommand } from '../../lib/words/client-command.ts'
import { joined } from '../../lib/words/counted.ts'
import { AddVariableDialog } from '../../ui/add-variable/add-variable-dialog.tsx'
import { Badge } from '../../ui/badge.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { CommandLine } from '../../ui/command-line.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { EntryName } from '../../ui/entry-name.tsx'
import { EnvChip } from '../../ui/env-chip.tsx'
import { Plus, Upload } from '../../ui/icons.ts'
import { InstallClient } from '../../ui/install-client.tsx'
import { LastChange } from '../../ui/last-change.tsx'
import { Loaded, OutdatedNotice } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { NotFound } from '../../ui/page-note.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { CopyBar } from './copy-bar.tsx'
import { Crossing } from './environment/crossing.tsx'
import { EnvironmentMenu } from './environment/environment-menu.tsx'
import { EnvironmentPart, isPart } from './environment/environment-part.tsx'
import { EnvironmentSwitch } from './environment/environment-switch.tsx'
import { type EnvironmentColumn, environmentsOf } from './environment/environments.ts'
import { OldItems } from './environment/old-items.tsx'
import { Matrix } from './matrix.tsx'
import {
  countOf,
  FILTERS,
  type Filter,
  isFilter,
  type MatrixRow,
  matrixRows,
  shownRows,
} from './matrix-rows.ts'

/** An application: its variables and what each environment delivers, edited in the cell. The address names one of its
 * bundles, which a phone shows. */
export function ApplicationPage({ name }: { name: string }) {
  const bundles = useAnswer('listBundles', {})
  const [params] = useSearchParams()
  const part = params.get('part') ?? ''
  const besides = params.getAll('with')
  const seen = useRef({ id: '', name: '' })
  return (
    <Loaded query={bundles} what="the application">
      {(data) => {
        // Its bundle may get another name while the page is open.
        const renamed = seen.current.name === name ? seen.current.id : null
        const current = data.find((bundle) => bundle.name === name) ?? data.find(({ id }) => id === renamed)
        if (current === undefined) return <NotFound what="Application" href="/" list="applications" />
        seen.current = { id: current.id, name }
        if (isPart(part)) return <EnvironmentPart key={part} bundle={current} part={part} />
        return <Application current={current} environments={environmentsOf(current.name, data, besides)} />
      }}
    </Loaded>
  )
}

type ApplicationProps = { current: Bundle; environments: readonly EnvironmentColumn[] }

function Application({ current, environments }: ApplicationProps) {
  const input = { bundle_id: environments.map(({ id }) => id), facts: '1' as const }
  // With another environment, the table stays until the new answer is there.
  const compared = useAnswer('compareBundles', input, { placeholderData: (before) => before })
  const [params] = useSearchParams()
  const { textOf, set } = useAddressFields<'add'>()
  const [added, setAdded] = useState<string | null>(null)
  const application = applicationOf(current.name)
  const canAdd = environments.some(({ may_edit }) => may_edit)
  return (
    <>
      <PageHeading
        title={application}
        shown={<Crumbs name={application} />}
        intro={<About bundle={current} rows={compared.data?.rows ?? []} />}
        actions={
          <>
            {canAdd && (
              <ButtonLink
                label="Bring in"
                href={`/bundles/import?bundle=${encodeURIComponent(current.name)}`}
                icon={Upload}
              />
            )}
            {canAdd && (
              <Button
                label="Add variable"
                look="primary"
                onClick={() => set('add', 'variable')}
                icon={Plus}
              />
            )}
            <span className="flex items-center sm:hidden">
              <EnvironmentMenu bundle={current} />
            </span>
          </>
        }
      />
      {current.may_edit && params.has('new') && <AfterDuplicate name={current.name} />}
      <Loaded query={compared} what="the variables">
        {({ rows }) => (
          <>
            <OutdatedNotice query={compared} />
            <Variables
              {...{ current, environments, rows }}
              added={textOf('add') === '' ? added : null}
              onAdd={() => set('add', 'variable')}
            />
          </>
        )}
      </Loaded>
      {canAdd && textOf('add') !== '' && (
        <AddVariableDialog
          bundle={current.may_edit ? current : (environments.find(({ may_edit }) => may_edit) ?? current)}
          among={environments}
          onAdded={setAdded}
          onClose={() => set('add', '')}
        />
      )}
    </>
  )
}

/** What is said of the environment that the address names. */
function About({ bundle, rows }: { bundle: Bundle; rows: VariablesProps['rows'] }) {
  const { id, name, description } = bundle
  const own = rows.flatMap(({ cells }) =>
    cells.flatMap(({ bundle_id, facts }) => (bundle_id === id && facts) || []),
  )
  const [last] = own.toSorted((a, b) => b.set_at.localeCompare(a.set_at))
  return (
    <div className="flex flex-wrap items-center gap-x-2 gap-y-1 text-xs">
      <span className="max-w-full truncate">
        <EnvChip name={name} isProduction={isProduction(bundle)} isMention />
      </span>
      {description !== '' && <span className="[overflow-wrap:anywhere]">{description}</span>}
      {tagsOf(bundle).map((tag) => (
        <Link key={tag} href={`/?tag=${encodeURIComponent(tag)}`} className="max-w-full truncate">
          <Badge>{tag}</Badge>
        </Link>
      ))}
      {/* On a phone a line of its own, even before it is known. */}
      <span className="min-h-[1lh] text-ink-faint max-sm:w-full max-sm:truncate">
        {last !== undefined && (
          <>
            Values changed <LastChange at={last.set_at} by={last.set_by.name} />
          </>
        )}
      </span>
    </div>
  )
}

/** The next step for a bundle that has just been made as a copy of another. */
function AfterDuplicate({ name }: { name: string }) {
  return (
    <div className="mb-6 max-w-read">
      <h2 className="mb-2 text-sm font-semibold">Import its values from a file</h2>
      <CommandLine command={importCommand(name)} />
      <p className="mt-1 text-sm text-ink-soft">
        Values that differ become its own. Other bundles do not change.
      </p>
    </div>
  )
}

function Crumbs({ name }: { name: string }) {
  return (
    <>
      <Link href="/" className="font-normal text-ink-soft no-underline hover:text-ink">
        Applications
      </Link>{' '}
      <span aria-hidden className="font-normal text-ink-faint">
        /
      </span>{' '}
      <EntryName name={name} />
    </>
  )
}

type VariablesProps = ApplicationProps & {
  rows: Parameters<typeof matrixRows>[0]
  added: string | null
  onAdd: () => void
}

function Variables({ current, environments, rows: compared, added, onAdd }: VariablesProps) {
  const { textOf, set } = useAddressFields<'show' | 'query'>()
  const of = environments.map(({ id }) => id).join(' ')
  const before = useRef<{ of: string; rows: MatrixRow[] }>(null)
  const rows = useMemo(
    () => matrixRows(compared, before.current?.of === of ? before.current.rows : []),
    [compared, of],
  )
  before.current = { of, rows }
  const show = textOf('show')
  const filter = isFilter(show) ? show : 'all'
  const query = textOf('query')
  const shown = useMemo(() => shownRows(rows, filter, query), [rows, filter, query])
  const names = useMemo(() => rows.map(({ name }) => name), [rows])
  const selection = useSelection(
    names,
    shown.map(({ name }) => name),
  )
  const chosen = rows.filter(({ name }) => selection.chosen.has(name))
  const canEdit = environments.some(({ may_edit }) => may_edit)
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <FilterChips
          rows={rows}
          environments={environments}
          filter={filter}
          onFilter={(next) => set('show', next === 'all' ? '' : next)}
        />
        <SearchField
          label="Filter variables"
          value={query}
          onChange={(text) => set('query', text)}
          className="w-full sm:ml-auto sm:w-52"
        />
      </div>
      <EnvironmentSwitch current={current} environments={environments} rows={rows} />
      <Matrix
        {...{ current, environments, selection, added, onAdd }}
        rows={shown}
        isGrouped={filter === 'all'}
      />
      {rows.length === 0 ? (
        <div className="mt-3">
          <EmptyState title="No variables yet">
            <p>
              {canEdit
                ? 'Add a variable, or import a .env file.'
                : 'Owners, and members whom the rules allow, can add variables.'}
            </p>
          </EmptyState>
        </div>
      ) : (
        shown.length === 0 && <p className="px-4 py-3 text-ink-soft sm:px-6">No variable matches.</p>
      )}
      {rows.length > 0 && !canEdit && (
        <Notice tone="plain" className="mt-3">
          Owners can change this bundle, and so can members whom the rules allow.
        </Notice>
      )}
      <InstallClient />
      <Crossing environments={environments} rows={rows} />
      <OldItems environments={environments} rows={rows} />
      <CopyBar environments={environments} rows={chosen} selection={selection} shown={shown} />
    </>
  )
}

type ChipsProps = {
  rows: readonly MatrixRow[]
  environments: readonly EnvironmentColumn[]
  filter: Filter
  onFilter: (filter: Filter) => void
}

/** `in staging and prod`: the environments that lack a variable. */
function whereMissing(rows: readonly MatrixRow[], environments: readonly EnvironmentColumn[]): string {
  const lacking = environments.filter((_, column) =>
    rows.some(({ cells }) => cells[column]?.state === 'missing'),
  )
  return lacking.length === 0
    ? ''
    : ` in ${joined(
        lacking.map(({ label }) => label),
        'and',
      )}`
}

function FilterChips({ rows, environments, filter, onFilter }: ChipsProps) {
  return (
    <fieldset className="flex max-w-full min-w-0 gap-2 overflow-x-auto p-0.5 print:hidden">
      <legend className="sr-only">Show</legend>
      {(Object.keys(FILTERS) as Filter[]).map((name) => {
        if (countOf(rows, name, 'kept') === 0 && name !== filter && name !== 'all') return null
        return (
          <button
            key={name}
            type="button"
            aria-pressed={name === filter}
            onClick={() => onFilter(name)}
            className="min-h-8 shrink-0 rounded-full border border-line bg-surface px-3 text-xs whitespace-nowrap text-ink-soft hover:border-edge aria-pressed:border-accent-soft aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-accent"
          >
            {FILTERS[name]}
            {name === 'missing' && whereMissing(rows, environments)}{' '}
            <span className="ml-0.5 inline-block min-w-[1.2em]">{countOf(rows, name)}</span>
          </button>
        )
      })}
    </fieldset>
  )
}
