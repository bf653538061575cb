import { useId } from 'react'
import type { RequestBundleItem } from '../../../lib/calls/answers.ts'
import { serverNowMs } from '../../../lib/calls/server-clock.ts'
import { DUE_NAMES } from '../../../lib/words/due.ts'
import { ago } from '../../../lib/words/time.ts'
import { Checkbox } from '../../../ui/checkbox.tsx'
import { isWhole } from './selection.ts'

const RECENT_MS = 86_400_000

type KeyRowProps = {
  item: RequestBundleItem
  checked: boolean
  onToggle: (name: string, on: boolean) => void
}

/** One key of the bundle with its checkbox, and what is known of its value. */
export function KeyRow({ item, checked, onToggle }: KeyRowProps) {
  const id = useId()
  return (
    <Checkbox
      className="flex items-start gap-3 px-3 py-2.5 hover:bg-sunken/60"
      boxClass="mt-0.5"
      checked={checked}
      disabled={!isWhole(item)}
      onChange={(on) => onToggle(item.key, on)}
      aria-describedby={`${id}-note`}
    >
      <span className="min-w-0 flex-1">
        <span className="font-mono text-sm font-medium break-all">{item.key}</span>
        <span id={`${id}-note`} className="block text-xs text-ink-soft">
          {item.required && <strong className="font-semibold text-caution">Required. </strong>}
          {item.due !== null && (
            <strong className="font-semibold text-caution">{DUE_NAMES[item.due]}. </strong>
          )}
          {isWhole(item) && (item.is_secret ? 'Secret' : 'Not secret')}
          {item.description !== null && item.description !== '' && ` · ${item.description}`}
          {item.stricter === true && ' · a rule of another bundle applies'}
          <LastValue item={item} />
          <BuiltFrom item={item} />
        </span>
      </span>
    </Checkbox>
  )
}

// A value that changed lately is named with the person: it may be another one than the approver expects.
function LastValue({ item: { version, changed_at, changed_by } }: { item: RequestBundleItem }) {
  if (version === undefined || version === null) return null
  const nowMs = serverNowMs()
  if (!changed_at) return ` · version ${version}`
  if (nowMs - Date.parse(changed_at) > RECENT_MS) return ` · version ${version}, ${ago(changed_at)}`
  return (
    <>
      {` · version ${version}, `}
      <strong className="font-semibold text-ink">
        changed {ago(changed_at)} by <bdi>{changed_by ?? 'a former member'}</bdi>
      </strong>
    </>
  )
}

function BuiltFrom({ item: { built_from, missing_parts = [] } }: { item: RequestBundleItem }) {
  if (built_from === undefined) return null
  return (
    <span className="block [overflow-wrap:anywhere]">
      {missing_parts.length > 0 ? (
        <strong className="font-semibold text-danger">
          Cannot be built: {missing_parts.join(', ')} missing from this bundle.
        </strong>
      ) : (
        `Built from ${built_from.join(', ')}. It contains their values, even if you do not select them.`
      )}
    </span>
  )
}
