import { Link } from 'wouter'
import { useWaiting, waitingId } from '../../lib/data/waiting.ts'
import { nameOf } from '../../lib/words/proposal-words.ts'
import { Face } from '../../ui/face.tsx'
import { ReviewLink, WaitingSentence, waitingFacts } from '../../ui/waiting/waiting-words.tsx'

const SHOWN = 2

/** Who waits for this person; nothing while nobody does. */
export function WaitingCards() {
  const { items = [], isShared } = useWaiting()
  if (!isShared || items.length === 0) return null
  return (
    <section aria-label="Waiting for you" className="mb-4 space-y-2">
      {items.slice(0, SHOWN).map((item) => (
        <div
          key={waitingId(item)}
          className="flex items-center gap-3 rounded-lg bg-surface p-3 pl-4 shadow-hairline max-sm:flex-wrap sm:pl-6"
        >
          <Face id={item.person.id} name={nameOf(item.person)} />
          <div className="min-w-0 flex-1">
            <p>
              <WaitingSentence item={item} />
            </p>
            <p className="text-xs text-ink-faint">{waitingFacts(item)}</p>
          </div>
          <ReviewLink item={item} />
        </div>
      ))}
      {items.length > SHOWN && (
        <Link href="/waiting" className="link text-xs">
          {items.length - SHOWN} more wait for you
        </Link>
      )}
    </section>
  )
}
