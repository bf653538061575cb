import type { ReactNode } from 'react'
import type { NamesOffer } from '../../../lib/answers.ts'
import { Button } from '../../../ui/button.tsx'
import { Notice } from '../../../ui/notice.tsx'
import { VirtualList } from '../../../ui/virtual-list.tsx'
import { BundleChoice } from '../bundle-choice.tsx'
import type { OpenRequest } from '../request-state.ts'
import { WorkspaceChoice } from '../workspace-choice.tsx'
import type { useNames } from './use-names.ts'

const ROW_HEIGHT_PX = 42

type NamesCardProps = Pick<ReturnType<typeof useNames>, 'place' | 'state' | 'reload'> & {
  request: OpenRequest
}

/** What the terminal would list: a workspace, a bundle if it asks for one, and the names. */
export function NamesCard({ request, place, state, reload }: NamesCardProps) {
  const { context, candidates, person } = request
  const asksForBundle = context.suggested_bundle_id !== null
  return (
    <section aria-labelledby="list" className="min-w-0 rounded-lg border border-line bg-surface p-4 sm:p-5">
      <h2 id="list" className="mb-3 text-sm font-semibold">
        What to list
      </h2>
      <WorkspaceChoice
        workspaces={person.workspaces}
        candidates={candidates}
        chosenId={place.workspaceId}
        onChoose={place.chooseWorkspace}
      />
      {asksForBundle && (
        <BundleChoice
          state={place.bundles}
          chosenId={place.bundleId}
          onChoose={place.chooseBundle}
          onRetry={place.reloadBundles}
        />
      )}
      <div className="mt-4">
        <ListOrWait asksForBundle={asksForBundle} state={state} reload={reload} />
      </div>
    </section>
  )
}

type ListOrWaitProps = Pick<NamesCardProps, 'state' | 'reload'> & { asksForBundle: boolean }

function ListOrWait({ asksForBundle, state, reload }: ListOrWaitProps) {
  if (state.phase === 'none')
    return <Quiet>{`Choose a ${asksForBundle ? 'bundle' : 'workspace'} to see the list.`}</Quiet>
  if (state.phase === 'loading') return <Quiet>Loading the list…</Quiet>
  if (state.phase === 'failed') {
    return (
      <Notice tone="danger" role="alert">
        <p>{state.failure.message}</p>
        <Button size="small" className="mt-2" onClick={reload}>
          Try again
        </Button>
      </Notice>
    )
  }
  return <List {...state.offer} />
}

function Quiet({ children }: { children: string }) {
  return <p className="text-sm text-ink-soft">{children}</p>
}

function List({ bundle, names, bundles, left_out }: NamesOffer) {
  if (bundle === null) {
    return (
      <>
        {bundles.length === 0 && <Quiet>There are no bundles to list.</Quiet>}
        {bundles.length > 0 && (
          <Rows
            label="Bundles to list"
            rows={bundles.map(({ name, key_count }) => [
              name,
              key_count === 1 ? '1 key' : `${key_count} keys`,
            ])}
          />
        )}
        <LeftOut count={left_out} />
      </>
    )
  }
  if (names.length === 0) return <Quiet>This bundle delivers no names.</Quiet>
  return (
    <Rows
      label="Names to list"
      rows={names.map(({ name, is_secret, required }) => [
        name,
        `${is_secret ? 'secret' : 'not secret'}${required ? ', required' : ''}`,
      ])}
    />
  )
}

function LeftOut({ count }: { count: number }) {
  if (count === 0) return null
  return (
    <p className="mt-2 text-sm text-ink-soft">
      {count === 1
        ? '1 bundle is left out: its rules do not allow this list.'
        : `${count} bundles are left out: their rules do not allow this list.`}
    </p>
  )
}

type RowsProps = { label: string; rows: readonly (readonly [name: string, note: string])[] }

function Rows({ label, rows }: RowsProps): ReactNode {
  return (
    <VirtualList
      label={label}
      items={rows}
      keyOf={([name]) => name}
      rowHeight={ROW_HEIGHT_PX}
      render={([name, note]) => (
        <p className="flex flex-wrap items-baseline gap-x-3 px-3 py-2.5">
          <span className="min-w-0 flex-1 font-mono text-sm font-medium break-all">{name}</span>
          <span className="text-xs text-ink-soft">{note}</span>
        </p>
      )}
    />
  )
}
