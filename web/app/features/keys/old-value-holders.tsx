import { Link } from 'wouter'
import { isStale, useHolders } from '../../lib/data/holders.ts'
import { holderNames } from '../../lib/words/holder-text.ts'
import { ago } from '../../lib/words/time.ts'
import { Notice } from '../../ui/notice.tsx'

const SHOWN = 3

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
        {stale.slice(0, SHOWN).map((holder) => {
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
        {stale.length > SHOWN ? `Show all ${stale.length}` : 'Show the holders'}
      </Link>
    </Notice>
  )
}
