import type { Key } from '../lib/calls/answers.ts'
import { ago } from '../lib/words/time.ts'
import { Button } from './button.tsx'
import { Notice } from './notice.tsx'

type ValueConflictProps = {
  item: Key
  /** The version that the person saw. */
  seen: number
  keepMine: () => void
  takeTheirs: () => void
}

/** Says that the value has changed since the person read it, and asks which one to keep. */
export function ValueConflict({ item, seen, keepMine, takeTheirs }: ValueConflictProps) {
  const { version, value_set_at, value_set_by } = item
  if (version === seen) return null
  return (
    <Notice tone="danger" role="alert">
      <p>
        Not saved: {value_set_by.name ?? 'another person'} changed the value {ago(value_set_at)}, after you
        opened this. It is now version {version}.
      </p>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button label="Keep my text" size="small" onClick={keepMine} />
        <Button label="Discard my text" size="small" onClick={takeTheirs} />
      </div>
    </Notice>
  )
}
