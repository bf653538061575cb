import { LIMITS } from '@keyferry/contract/limits'
import type { KeyLifetime } from '../lib/data/keys.ts'
import { beginningOf, dayOf } from '../lib/words/due.ts'
import { TextField } from './text-field.tsx'

type LifetimeFieldsProps = { lifetime: KeyLifetime; onChange: (change: Partial<KeyLifetime>) => void }

/** When a value expires, and after how many days it should be replaced. Both may stay empty. */
export function LifetimeFields({
  lifetime: { expires_at, rotate_after_days },
  onChange,
}: LifetimeFieldsProps) {
  return (
    <div>
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Expires on (optional)"
          type="date"
          value={dayOf(expires_at)}
          onChange={(day) => onChange({ expires_at: beginningOf(day) })}
        />
        <TextField
          label="Replace after days (optional)"
          type="number"
          inputMode="numeric"
          min={1}
          max={LIMITS.rotateAfterDays}
          value={rotate_after_days ?? ''}
          onChange={(days) => onChange({ rotate_after_days: days === '' ? null : Math.trunc(Number(days)) })}
          problem={rotationProblem(rotate_after_days)}
        />
      </div>
      <p className="mt-1 text-xs text-ink-soft">Reminders only: Keyferry still delivers the value.</p>
    </div>
  )
}

/** Why a number of days cannot be stored, or null. */
export function rotationProblem(days: number | null): string | null {
  if (days === null || (days >= 1 && days <= LIMITS.rotateAfterDays)) return null
  return `Use 1 to ${LIMITS.rotateAfterDays} days.`
}
