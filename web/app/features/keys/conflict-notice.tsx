import type { Key } from '../../lib/calls/answers.ts'
import { serverNowMs } from '../../lib/calls/server-clock.ts'
import { ago } from '../../lib/words/time.ts'
import { Button } from '../../ui/button.tsx'
import { Notice } from '../../ui/notice.tsx'

type ConflictNoticeProps = {
  item: Key
  /** The version that the person saw. */
  seen: number
  keepMine: () => void
  takeTheirs: () => void
}

/** Says that the value has changed since the person read it, and asks which one to keep. */
export function ConflictNotice({ item, seen, keepMine, takeTheirs }: ConflictNoticeProps) {
  const { version, value_set_at, value_set_by } = item
  if (version === seen) return null
  return (
    <Notice tone="danger" role="alert">
      <p>
        Not saved: {value_set_by.name ?? 'another person'} changed the value{' '}
        {ago(value_set_at, serverNowMs())}, after you opened this page. It is now version {version}.
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button size="small" onClick={keepMine}>
          Keep my text
        </Button>
        <Button size="small" onClick={takeTheirs}>
          Discard my text
        </Button>
      </div>
    </Notice>
  )
}
