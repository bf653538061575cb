import type { Bundle } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded, LoadingState } from '../../ui/loaded.tsx'
import { PageHeading } from '../../ui/page-heading.tsx'
import { Applications, BundleChoice, useComparedBundles } from './bundle-choice.tsx'
import { ComparedNames } from './compared-names.tsx'

/** Names × bundles: which bundle delivers what, with its own value or the same. Shows no secrets. */
export function ComparePage() {
  const bundles = useAnswer('listBundles', {})
  return (
    <>
      <PageHeading
        title="Compare"
        intro="Which bundle delivers which variable, with its own value or the same. Secrets stay hidden."
      />
      <Loaded query={bundles} what="the bundles">
        {(data) => <Comparison bundles={data} />}
      </Loaded>
    </>
  )
}

function Comparison({ bundles }: { bundles: readonly Bundle[] }) {
  const compared = useComparedBundles(bundles)
  const { chosen } = compared
  const comparison = useAnswer(
    'compareBundles',
    { bundle_id: chosen.map(({ id }) => id) },
    { enabled: chosen.length >= 2 },
  )
  return (
    <>
      <BundleChoice bundles={bundles} compared={compared} />
      {chosen.length < 2 ? (
        <EmptyState title="Choose at least two bundles">
          <p>For example dev/app and prod/app: you see at once what one of them lacks.</p>
          <Applications bundles={bundles} />
        </EmptyState>
      ) : comparison.data === undefined ? (
        <LoadingState query={comparison} what="the comparison" />
      ) : (
        <ComparedNames bundles={chosen} rows={comparison.data.rows} />
      )}
    </>
  )
}
