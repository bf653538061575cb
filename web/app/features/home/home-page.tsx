import { lazy, Suspense, startTransition, useMemo, useState } from 'react'
import { Link, Redirect, useSearchParams } from 'wouter'
import { useHistoryState } from 'wouter/use-browser-location'
import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useDatedKeys } from '../../lib/data/expiry.ts'
import { useGrants } from '../../lib/data/lists.ts'
import { useMe } from '../../lib/data/me.ts'
import { useWaiting, waitingId } from '../../lib/data/waiting.ts'
import { applicationHref } from '../../lib/page/places.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { tagsOf } from '../../lib/rules/bundle-names.ts'
import { counted, joined } from '../../lib/words/counted.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { deferred } from '../../ui/deferred.tsx'
import { Plus, Upload } from '../../ui/icons.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { News } from '../../ui/placed.tsx'
import { SearchField } from '../../ui/search-field.tsx'
import { Select } from '../../ui/select.tsx'
import { HomeMatrix } from './home-matrix.tsx'
import { homeTable, isFound } from './home-rows.ts'

const UnusedVariables = deferred('UnusedVariables', () => import('./unused-variables.tsx'))
const FirstSteps = deferred('FirstSteps', () => import('./first-steps.tsx'))
const WaitingCards = lazy(async () => ({ default: (await import('./waiting-cards.tsx')).WaitingCards }))
const OwnProposals = deferred('OwnProposals', () => import('./own-proposals.tsx'))
const RunningTasks = lazy(async () => ({ default: (await import('./running-tasks.tsx')).RunningTasks }))
const DueStrip = lazy(async () => ({ default: (await import('./due-strip.tsx')).DueStrip }))
const NewBundleDialog = deferred('NewBundleDialog', () => import('../../ui/bundle-forms.tsx'))

type HomeField = 'query' | 'tag' | 'new' | 'show'

/** Every application with its environments: what they contain, how they are used, and what needs a look. */
export const HomePage = () => <Home key={useHistoryState<string | undefined>()} />

function Home() {
  const bundles = useAnswer('listBundles', { facts: '1' })
  const { textOf, set } = useAddressFields<HomeField>()
  const { isShared, above, news, show, areCardsComing } = useAbove()
  return (
    <>
      <PageHeading
        title="Applications"
        actions={
          <>
            {bundles.data?.length !== 0 && <Filter bundles={bundles.data ?? []} />}
            <ButtonLink label="Bring in" href="/bundles/import" icon={Upload} />
            <Button label="New" look="primary" onClick={() => set('new', 'bundle')} icon={Plus} />
          </>
        }
      />
      <Loaded query={{ ...bundles, data: areCardsComing ? undefined : bundles.data }} what="the applications">
        {(data) => (
          <Suspense fallback={null}>
            {above.asked.length > 0 && <WaitingCards drawn={above.asked} />}
            {above.tasks.length > 0 && <RunningTasks drawn={above.tasks} />}
            {textOf('show') === 'unused' ? (
              <UnusedVariables query={textOf('query')} />
            ) : data.length === 0 ? (
              <FirstSteps />
            ) : (
              <>
                <NamedBundle bundles={data} />
                {above.dates.some(({ due }) => due !== null) && <DueStrip keys={above.dates} />}
                <Applications bundles={data} />
              </>
            )}
            {isShared && <OwnProposals />}
          </Suspense>
        )}
      </Loaded>
      {news.length > 0 && (
        <News text={`New: ${joined(news, 'and')}.`}>
          <Button label="Show" size="small" onClick={show} />
        </News>
      )}
      {textOf('new') !== '' && (
        <NewBundleDialog name={offeredName(textOf('new'))} onClose={() => set('new', '')} />
      )}
    </>
  )
}

/** The cards above the table. They appear with it, even if their module loads, so that the table does not move. `news`
 * counts later items, which the person can show. */
function useAbove() {
  const waiting = useWaiting()
  const [dated, grants, me] = [useDatedKeys(), useGrants(), useMe().data]
  const queries = [waiting.query, dated, grants]
  const now = {
    asked: waiting.query.data ?? [],
    tasks: grants.data?.filter(({ task, person }) => task && person.id === me?.user_id) ?? [],
    dates: dated.data ?? [],
  }
  const [drawn, setDrawn] = useState<typeof now>()
  const isComing =
    me === undefined || queries.some(({ isFetching, failureCount }) => isFetching && failureCount === 0)
  if (drawn === undefined && !isComing) setDrawn(now)
  const above = drawn ?? now
  const news = [
    countNew(waiting.items ?? [], above.asked, waitingId, 'decision'),
    countNew(now.tasks, above.tasks, ({ id }) => id, 'task'),
    countNew(now.dates, above.dates, ({ id, due_at }) => id + due_at, 'due date'),
  ].filter(Boolean)
  return {
    isShared: waiting.isShared,
    above,
    news,
    show: () => startTransition(() => setDrawn(now)),
    areCardsComing: drawn === undefined && isComing,
  }
}

function countNew<T>(now: readonly T[], drawn: readonly T[], idOf: (one: T) => string, what: string): string {
  const known = new Set(drawn.map(idOf))
  const { length } = now.filter((one) => !known.has(idOf(one)))
  return length === 0 ? '' : counted(length, what)
}

/** `?new=bundle` offers no name, `?new=prod/web` offers this one. */
const offeredName = (text: string): string => (text.includes('/') ? text : '')

/** Leads from the addresses that the client prints to the bundle's application: `?open=dev/app`, and to the page that
 * copies it: `?duplicate=dev/app&as=staging/app`. */
function NamedBundle({ bundles }: { bundles: readonly Bundle[] }) {
  const [params] = useSearchParams()
  const wanted = params.get('duplicate') ?? params.get('open')
  const bundle = bundles.find(({ id, name }) => name === wanted || id === wanted)
  if (bundle === undefined) return null
  if (!params.has('duplicate')) return <Redirect replace to={applicationHref(bundle.name)} />
  const copied = new URLSearchParams({ bundle: bundle.name, as: params.get('as') ?? '' })
  return <Redirect replace to={`/bundles/duplicate?${copied}`} />
}

/** Looks for applications by name, description and tag, kept in the address so that it can be linked to. */
function Filter({ bundles }: { bundles: readonly Bundle[] }) {
  const { textOf, set } = useAddressFields<HomeField>()
  const isUnused = textOf('show') === 'unused'
  const tags = useMemo(() => [...new Set(bundles.flatMap(tagsOf))].toSorted(), [bundles])
  return (
    <>
      <SearchField
        label={isUnused ? 'Filter variables' : 'Filter applications'}
        value={textOf('query')}
        onChange={(text) => set('query', text)}
        className="max-sm:order-1 max-sm:flex-1 max-sm:basis-48 sm:w-56"
      />
      {tags.length > 0 && !isUnused && (
        <Select
          aria-label="Tag"
          value={textOf('tag')}
          options={[['', 'All tags'], ...tags.map((name) => [name, name] as const)]}
          onChange={(text) => set('tag', text)}
          className="field w-auto min-w-0 max-sm:order-1 sm:max-w-40"
        />
      )}
    </>
  )
}

function Applications({ bundles }: { bundles: readonly Bundle[] }) {
  const { textOf, set } = useAddressFields<HomeField>()
  const [query, tag] = [textOf('query'), textOf('tag')]
  const table = useMemo(() => homeTable(bundles), [bundles])
  const rows = useMemo(() => table.rows.filter((row) => isFound(row, { query, tag })), [table, query, tag])
  const { data } = useAnswer('listUse', {})
  const uses = useMemo(() => data && new Map(data.map((use) => [use.id, use])), [data])
  return (
    <>
      <p className="sr-only" role="status">
        {counted(rows.length, 'application')}
      </p>
      {rows.length === 0 ? (
        <p className="py-6 text-ink-soft">No application matches. Change the filter or the tag.</p>
      ) : (
        <HomeMatrix table={{ ...table, rows }} uses={uses} onCreate={(name) => set('new', name)} />
      )}
      <p className="mt-3 px-4 text-xs text-ink-faint sm:px-6">
        Bars: fetches on each of the last 30 days, then the last fetch. <UnusedKeys />
      </p>
    </>
  )
}

function UnusedKeys() {
  const [unused] = useAnswer('listKeys', { used: '0', limit: 1 }).data ?? []
  if (unused === undefined) return null
  return (
    <Link href="/?show=unused" className="link">
      Variables in no bundle
    </Link>
  )
}
