import { Link } from 'wouter'
import type { Holder, Key } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { isStale, MOST_HOLDERS, useHolders } from '../../lib/data/holders.ts'
import { useMay } from '../../lib/data/me.ts'
import { counted } from '../../lib/words/counted.ts'
import { holderNames, holderText } from '../../lib/words/holder-text.ts'
import { ago, dateTime } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { IconButton } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { X } from '../../ui/icons.ts'
import { LoadingState } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { withToast } from '../../ui/toast-store.ts'
import { VirtualList } from '../../ui/virtual-list.tsx'

/** Who was given which version of a key, those with the oldest version first. */
export function KeyHolders({ item }: { item: Key }) {
  const holders = useHolders(item.id)
  const { data } = holders
  if (data === undefined) return <LoadingState query={holders} what="the holders" />
  if (data.length === 0) {
    return (
      <EmptyState title="No deliveries yet">
        <p>
          After an approval, the terminal that gets the value is listed here, with the version it was given.
        </p>
      </EmptyState>
    )
  }
  return (
    <>
      <p className="mb-3 text-sm text-ink-soft">
        <strong className="font-medium text-ink">{holdersText(data, item.version)}.</strong> Host and user are
        what the terminal reported. Keyferry knows what it delivered, not what still runs.
      </p>
      <VirtualList
        label="Holders"
        items={data}
        keyOf={({ holder }) => holder}
        rowHeight={62}
        render={(holder) => <HolderRow item={item} holder={holder} />}
      />
      {data.length === MOST_HOLDERS && (
        <p className="mt-2 text-sm text-ink-soft">
          The first {MOST_HOLDERS} are shown, the oldest version first.
        </p>
      )}
    </>
  )
}

/** For example `5 holders, 2 stale`. */
function holdersText(holders: readonly Holder[], current: number): string {
  const stale = holders.filter((holder) => isStale(holder, current)).length
  const all = counted(holders.length, 'holder')
  return stale === 0 ? all : `${all}, ${stale} stale`
}

function HolderRow({ item, holder }: { item: Key; holder: Holder }) {
  const may = useMay()
  const dismiss = useChange('dismissHolder', { key_id: item.id, holder: holder.holder })
  const { who, place } = holderNames(holder)
  const stale = isStale(holder, item.version)
  return (
    <div className="flex items-center gap-3 py-2 pr-2 pl-4">
      <span className="w-10 shrink-0 text-center">
        <Badge tone={stale ? 'caution' : 'good'}>v{holder.version ?? `${holder.perhaps_version}?`}</Badge>
      </span>
      <div className="min-w-0 flex-1">
        <p className="text-sm">
          <span className="font-medium">{who}</span>{' '}
          {place !== null && (
            <>
              on <bdi className="font-mono [overflow-wrap:anywhere]">{place}</bdi>
            </>
          )}
        </p>
        <p className="text-xs text-ink-soft" title={dateTime(holder.last_at)}>
          {holderText(holder, item.version, (at) => ago(at))}
          {usageText(holder)}
          {may('getDelivery') && (
            <>
              {' · '}
              <Link href={`/activity/deliveries/${holder.delivery_id}`} className="link">
                delivery
              </Link>
            </>
          )}
        </p>
      </div>
      {may('dismissHolder') && (
        <IconButton
          label={`Dismiss ${who}${place === null ? '' : ` on ${place}`}`}
          disabled={dismiss.isPending}
          onClick={() =>
            dismiss.mutate(
              undefined,
              withToast(`Dismissed ${who}. The next delivery puts the terminal on the list again.`),
            )
          }
          icon={X}
          px={17}
        />
      )}
    </div>
  )
}

function usageText({ label, via, times, first_at }: Holder): string {
  const program = label === null ? '' : visibleText(label.program, 60)
  return [
    program === '' ? '' : ` · for ${program}`,
    via === null ? '' : ` · keyferry ${via}`,
    times > 1 ? ` · ${times} times since ${dateTime(first_at)}` : '',
  ].join('')
}

const MOST_NAMED = 3

/** After a value was replaced: who was given an older one. */
export function OldValueHolders({ keyId, version }: { keyId: string; version: number }) {
  const holders = useHolders(keyId).data
  if (holders === undefined) return null
  const stale = holders.filter((holder) => isStale(holder, version))
  if (stale.length === 0) {
    return (
      <Notice tone="good" role="status">
        No one has an older value.
      </Notice>
    )
  }
  return (
    <Notice tone="caution" role="status">
      <p>
        {stale.length} {stale.length === 1 ? 'holder has' : 'holders have'} an older value until the next
        fetch:
      </p>
      <ul className="mt-1">
        {stale.slice(0, MOST_NAMED).map((holder) => {
          const { who, place } = holderNames(holder)
          return (
            <li key={holder.holder}>
              {who}
              {place !== null && (
                <>
                  {' '}
                  on <bdi className="font-mono">{place}</bdi>
                </>
              )}{' '}
              <span className="text-ink-soft">({ago(holder.last_at)})</span>
            </li>
          )
        })}
      </ul>
      <Link href={`/keys/${keyId}/holders`} className="link">
        {stale.length > MOST_NAMED ? `Show all ${stale.length}` : 'Show the holders'}
      </Link>
    </Notice>
  )
}
