import { counted } from '../lib/words/counted.ts'
import { Notice } from './notice.tsx'

const LISTED = 5

/** Before machines get secrets without an approval of which another bundle demands one. */
export function StricterNotice({ names }: { names: readonly string[] }) {
  if (names.length === 0) return null
  const more = names.length > LISTED ? ` and ${names.length - LISTED} more` : ''
  return (
    <Notice tone="caution" role="status">
      Another bundle has stricter rules for {counted(names.length, 'secret')}:{' '}
      <span className="font-mono [overflow-wrap:anywhere]">{names.slice(0, LISTED).join(', ')}</span>
      {more}. Machines that fetch values of this bundle get {names.length === 1 ? 'it' : 'them'} without an
      approval.
    </Notice>
  )
}
