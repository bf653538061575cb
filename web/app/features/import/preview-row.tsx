import { useId } from 'react'
import { valueWarnings } from '../../lib/value-warnings.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import { isUsable, type PlanRow, type State } from './plan.ts'

const STATES = {
  new: { name: 'New', tone: 'good' },
  changed: { name: 'Changed', tone: 'caution' },
  hidden: { name: 'Replaces', tone: 'caution' },
  same: { name: 'Same', tone: 'plain' },
  masked: { name: 'Masked', tone: 'plain' },
} as const satisfies Record<State, { name: string; tone: string }>

type PreviewRowProps = {
  row: PlanRow
  skipped: boolean
  secret: boolean
  onSkip: (name: string, skipped: boolean) => void
  onSecret: (name: string, secret: boolean) => void
}

/** One line of the preview. A value is shown only where it is not secret. */
export function PreviewRow({ row, skipped, secret, onSkip, onSecret }: PreviewRowProps) {
  const id = useId()
  const { entry, state } = row
  const usable = isUsable(row)
  const { name: stateName, tone } = STATES[state]
  const warnings = state === 'masked' ? [] : valueWarnings(entry.value)
  return (
    <li
      className={classNames(
        'flex flex-wrap items-start gap-x-3 gap-y-1 px-3 py-2.5',
        skipped && 'bg-sunken/50',
      )}
    >
      <input
        id={id}
        type="checkbox"
        className="checkbox mt-1"
        checked={usable && !skipped}
        disabled={!usable}
        onChange={(event) => onSkip(entry.name, !event.currentTarget.checked)}
        aria-describedby={`${id}-note`}
      />
      <div className="min-w-0 flex-1 basis-44">
        <label htmlFor={id} className="font-mono text-sm font-medium break-all">
          {entry.name}
        </label>
        <p id={`${id}-note`} className="text-xs text-ink-soft">
          Line {entry.line}
          <Note row={row} secret={secret} />
        </p>
        {warnings.length > 0 && <p className="text-xs text-caution">{warnings.join(' ')}</p>}
      </div>
      <Badge tone={tone}>{stateName}</Badge>
      <label className="inline-flex min-h-7 items-center gap-2 text-sm text-ink-soft">
        <input
          type="checkbox"
          className="checkbox"
          checked={secret}
          aria-label={`Secret: ${entry.name}`}
          disabled={skipped || !usable}
          onChange={(event) => onSecret(entry.name, event.currentTarget.checked)}
        />
        Secret
      </label>
    </li>
  )
}

function Note({ row: { entry, key, state }, secret }: { row: PlanRow; secret: boolean }) {
  const users = key?.used_in_bundles ?? 0
  const reach = users === 0 ? '' : `, used in ${users} ${users === 1 ? 'bundle' : 'bundles'}`
  if (state === 'hidden') return <> · replaces a hidden value{reach}</>
  if (state === 'masked') return <> · {key === null ? 'a mask is not a value' : 'keeps the stored value'}</>
  if (secret) return <>{state === 'new' ? '' : reach.replace(', ', ' · ')}</>
  if (state === 'changed') {
    return (
      <>
        {' '}
        · <del className="font-mono">{short(key?.value ?? '')}</del> →{' '}
        <ins className="font-mono">{short(entry.value)}</ins>
        {reach}
      </>
    )
  }
  return (
    <>
      {' '}
      · <span className="font-mono">{short(entry.value)}</span>
    </>
  )
}

function short(value: string): string {
  if (value === '') return '(empty)'
  return value.length > 60 ? `${value.slice(0, 60)}…` : value
}
