import { useMemo, useState } from 'react'
import { Redirect, useSearchParams } from 'wouter'
import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { useAddressFields } from '../../lib/page/use-address-fields.ts'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { FoundList } from '../../ui/found-list.tsx'
import { Plus, Upload } from '../../ui/icons.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { Attention } from './attention.tsx'
import { BundleFilters, useBundleFilters } from './bundle-filters.tsx'
import { NewBundleDialog } from './bundle-forms.tsx'
import { BundleRow } from './bundle-row.tsx'
import { flatRows, rowKey, treeRows } from './bundle-tree.ts'
import { FirstSteps } from './first-steps.tsx'

/** All bundles: as a tree, or as a list while one searches, filters or sorts. */
export function BundlesPage() {
  const bundles = useAnswer('listBundles', {})
  const { textOf, set } = useAddressFields(['new'])
  return (
    <>
      <PageHeading
        title="Bundles"
        intro="Each bundle is a set of keys that one program needs."
        actions={
          <>
            <ButtonLink label="Import" href="/bundles/import" icon={Upload} />
            <Button label="New bundle" look="primary" onClick={() => set('new', 'bundle')} icon={Plus} />
          </>
        }
      />
      <Attention />
      <Loaded query={bundles} what="bundles">
        {(data) =>
          data.length === 0 ? (
            <FirstSteps />
          ) : (
            <>
              <BundleLink bundles={data} />
              <BundleList bundles={data} />
            </>
          )
        }
      </Loaded>
      {textOf('new') !== '' && <NewBundleDialog onClose={() => set('new', '')} />}
    </>
  )
}

/** Leads from the addresses that the client prints to the bundle's page: `?open=dev/app`, and to its dialog
 * `?duplicate=dev/app&as=staging/app`. */
function BundleLink({ bundles }: { bundles: readonly Bundle[] }) {
  const [params] = useSearchParams()
  const wanted = params.get('duplicate') ?? params.get('open')
  const bundle = bundles.find(({ id, name }) => name === wanted || id === wanted)
  if (bundle === undefined) return null
  const dialog = params.has('duplicate') ? `?duplicate=${encodeURIComponent(params.get('as') ?? '')}` : ''
  return <Redirect replace to={`/bundles/${bundle.id}${dialog}`} />
}

function BundleList({ bundles }: { bundles: readonly Bundle[] }) {
  const filters = useBundleFilters(bundles)
  const { shown, isTree, sort } = filters
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set())
  const rows = useMemo(() => (isTree ? treeRows(shown, closed) : flatRows(shown)), [isTree, shown, closed])
  const toggle = (path: string) => setClosed(closed.symmetricDifference(new Set([path])))
  return (
    <>
      <BundleFilters bundles={bundles} filters={filters} />
      <FoundList
        noun="bundle"
        count={shown.length}
        narrowedBy="the search or the tag"
        label="Bundles"
        items={rows}
        keyOf={rowKey}
        rowHeight={53}
        render={(row) => <BundleRow row={row} sort={sort} onToggle={toggle} />}
      />
    </>
  )
}
