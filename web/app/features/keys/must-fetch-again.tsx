import type { Key } from '../../lib/calls/answers.ts'
import { isStale, useHolders } from '../../lib/data/holders.ts'
import { Notice } from '../../ui/notice.tsx'
import { oldHoldersText } from './holder-words.ts'

/** Who must fetch again: named until each of them has the current value, or is dismissed. */
export function MustFetchAgain({ item }: { item: Key }) {
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
