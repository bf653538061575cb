import type { Key } from '../lib/calls/answers.ts'
import { DUE_NAMES } from '../lib/words/due.ts'
import { Badge } from './badge.tsx'

/** Says why a value should be replaced; nothing where it should not. */
export function DueBadge({ due }: { due: Key['due'] }) {
  if (due === null) return null
  return <Badge tone={due === 'expired' ? 'danger' : 'caution'}>{DUE_NAMES[due]}</Badge>
}
