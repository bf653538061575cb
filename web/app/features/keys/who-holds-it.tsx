import { useState } from 'react'
import { Link } from 'wouter'
import type { Holder, Key, KeyVersion } from '../../lib/calls/answers.ts'
import { useChange } from '../../lib/calls/use-call.ts'
import { isStale, MOST_HOLDERS, useHolders } from '../../lib/data/holders.ts'
import { useMay } from '../../lib/data/me.ts'
import { useNow } from '../../lib/page/use-now.ts'
import { counted } from '../../lib/words/counted.ts'
import { holderNames, holderText } from '../../lib/words/holder-text.ts'
import { ago, dateTime } from '../../lib/words/time.ts'
import { visibleText } from '../../lib/words/visible-text.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button, IconButton } from '../../ui/button.tsx'
import { Face } from '../../ui/face.tsx'
import { CircleCheck, CircleDashed, Server, X } from '../../ui/icons.ts'
import { LoadingState } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { withToast } from '../../ui/toast-store.ts'
import { holdersSentence } from './holder-words.ts'
import { type LifeLine, lifeLine } from './life-line.ts'
import { Lane, LifeAxis, LifeBands, LifeHead } from './life-plot.tsx'

type WhoHoldsItProps = { item: Key; versions: readonly KeyVersion[] }

const MINUTE_MS = 60_000
const FIRST = 8
const MORE = 50

/** Who was given which version of a key: on a line of time, and as a list on a phone and for screen readers. */
export function WhoHoldsIt({ item, versions }: WhoHoldsItProps) {
  const holders = useHolders(item.id)
  const { data } = holders
  const stale = data?.filter((holder) => isStale(holder, item.version)).length ?? 0
  const fresh = (data?.length ?? 0) - stale
  return (
    <Section
      title="Who holds it"
      className="rounded-lg bg-surface p-4 shadow-card sm:p-6"
      headingClass="shrink-0"
      action={
        <span className="flex flex-wrap justify-end gap-x-4 text-xs">
          {fresh > 0 && (
            <span className="inline-flex items-center gap-1.5 text-good">
              <CircleCheck aria-hidden size={16} /> {counted(fresh, 'has', 'have')} v{item.version}
            </span>
          )}
          {stale > 0 && (
            <span className="inline-flex items-center gap-1.5 text-caution">
              <CircleDashed aria-hidden size={16} /> {counted(stale, 'has', 'have')} an older value
            </span>
          )}
        </span>
      }
    >
      {data === undefined ? (
        <LoadingState query={holders} what="the holders" />
      ) : data.length === 0 ? (
        <p className="mt-2 text-ink-soft">
          Nobody yet. After an approval, the terminal that gets the value is listed here, with its version.
        </p>
      ) : (
        <Holders item={item} versions={versions} holders={data} />
      )}
    </Section>
  )
}

type HoldersProps = WhoHoldsItProps & { holders: readonly Holder[] }

function Holders({ item, versions, holders }: HoldersProps) {
  const nowMs = useNow(MINUTE_MS)
  const [count, setCount] = useState(FIRST)
  const line = lifeLine({ versions, holders, expiresAt: item.expires_at, nowMs })
  return (
    <>
      <p className="sr-only">{holdersSentence(item, holders)}</p>
      <div className="relative mt-2 sm:mt-4">
        <LifeBands line={line} />
        <LifeHead line={line} />
        <ul aria-label="Holders" className="relative max-sm:-mx-4 max-sm:divide-y max-sm:divide-line">
          {holders.slice(0, count).map((holder) => (
            <HolderRow key={holder.holder} item={item} holder={holder} line={line} />
          ))}
        </ul>
        <LifeAxis line={line} expiresAt={item.expires_at} />
      </div>
      <div className="mt-3 flex flex-wrap items-center justify-between gap-2 text-xs text-ink-soft sm:mt-8">
        <p>
          {holders.length === MOST_HOLDERS && `The first ${MOST_HOLDERS} are shown. `}
          Host and user are what the terminal reported. Keyferry knows what it delivered, not what still runs.
        </p>
        {count < holders.length && (
          <Button
            label={`Show ${Math.min(MORE, holders.length - count)} more of ${holders.length}`}
            size="small"
            onClick={() => setCount(count + MORE)}
          />
        )}
      </div>
    </>
  )
}

type HolderRowProps = { item: Key; holder: Holder; line: LifeLine }

function HolderRow({ item, holder, line }: HolderRowProps) {
  const may = useMay()
  const { who, place } = holderNames(holder)
  const stale = isStale(holder, item.version)
  const where = place ?? (holder.kind === 'machine' ? 'machine' : 'a terminal without a name')
  const given = `v${holder.version ?? `${holder.perhaps_version}?`}`
  return (
    <li className="group grid min-h-11 grid-cols-[1fr_auto_2.5rem] items-center max-sm:py-2 max-sm:pl-4 sm:grid-cols-[15rem_1fr_2.5rem]">
      <span className="flex min-w-0 items-center gap-3 pr-2">
        <HolderFace holder={holder} />
        <span className="min-w-0">
          <bdi className="block truncate leading-5">{who}</bdi>
          <span className="block truncate text-xs text-ink-soft" title={usageText(holder)}>
            {may('getDelivery') ? (
              <Link href={`/activity/deliveries/${holder.delivery_id}`} className="hover:underline">
                {where}
                <span className="sr-only">, its delivery</span>
              </Link>
            ) : (
              where
            )}
          </span>
        </span>
      </span>
      <Lane line={line} holder={holder} stale={stale} />
      <span className="sm:sr-only" title={dateTime(holder.last_at)}>
        <Badge tone={stale ? 'caution' : 'good'}>
          {given}, {ago(holder.last_at)}
        </Badge>
        <span className="sr-only">{holderText(holder, item.version, (at) => ago(at))}</span>
      </span>
      {may('dismissHolder') && <Dismiss item={item} holder={holder} />}
    </li>
  )
}

function HolderFace({ holder: { kind, id, name } }: { holder: Holder }) {
  if (kind === 'user') return <Face id={id} name={name ?? '?'} />
  return (
    <span className="inline-grid size-7 shrink-0 place-items-center rounded-sm bg-accent-soft text-accent">
      <Server aria-hidden size={15} />
    </span>
  )
}

function Dismiss({ item, holder }: { item: Key; holder: Holder }) {
  const dismiss = useChange('dismissHolder', { key_id: item.id, holder: holder.holder })
  const { who, place } = holderNames(holder)
  return (
    <IconButton
      label={`Dismiss ${who}${place === null ? '' : ` on ${place}`}`}
      disabled={dismiss.isPending}
      onClick={() =>
        dismiss.mutate(
          undefined,
          withToast('dismiss this', `Dismissed ${who}. The next delivery lists the terminal again.`),
        )
      }
      icon={X}
      className="justify-self-end group-hover:opacity-100 focus-visible:opacity-100 sm:opacity-0"
    />
  )
}

function usageText({ label, via, times, first_at, version, perhaps_version }: Holder): string {
  const program = label === null ? '' : visibleText(label.program, 60)
  return [
    program === '' ? '' : `for ${program}`,
    via === null ? '' : `keyferry ${via}`,
    times > 1 ? `${times} times since ${dateTime(first_at)}` : '',
    version === null ? `version ${perhaps_version} was approved, and the delivery is not confirmed` : '',
  ]
    .filter((text) => text !== '')
    .join(', ')
}
