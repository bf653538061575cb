import { Clock } from 'lucide-react'
import { useEffect } from 'react'
import { useNow } from '../../lib/page/use-now.ts'
import { clockTime } from '../../lib/words/time.ts'
import { classNames } from '../../ui/class-names.ts'

const SPOKEN_AT_SECONDS = [10, 30, 60]

/** The time left, ticking; spoken to screen readers only when it grows short. */
export function Countdown({ expiresAt, onEnd }: { expiresAt: string; onEnd: () => void }) {
  const leftMs = Date.parse(expiresAt) - useNow(500)
  const over = leftMs <= 0
  useEffect(() => {
    if (over) onEnd()
  }, [over, onEnd])
  const spoken = SPOKEN_AT_SECONDS.find((seconds) => leftMs <= seconds * 1_000)
  return (
    <>
      <p
        className={classNames(
          'inline-flex items-center gap-1.5 text-sm whitespace-nowrap',
          leftMs < 60_000 ? 'font-semibold text-caution' : 'text-ink-soft',
        )}
      >
        <Clock aria-hidden size={16} />
        <span>
          Expires in <span role="timer">{clockTime(leftMs)}</span>
        </span>
      </p>
      <span className="sr-only" aria-live="polite">
        {spoken === undefined ? '' : `${spoken} seconds or less are left.`}
      </span>
    </>
  )
}
