import { valueWarnings } from '../lib/rules/value-warnings.ts'
import { Notice } from './notice.tsx'

/** What looks wrong with a value; nothing where it looks right. */
export function ValueWarnings({ value, className }: { value: string; className?: string }) {
  const warnings = valueWarnings(value)
  if (warnings.length === 0) return null
  return (
    <Notice tone="caution" role="status" className={className}>
      {warnings.join(' ')}
    </Notice>
  )
}
