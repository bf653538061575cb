import { isProduction } from '@keyferry/contract/production'
import { useLocation } from 'wouter'
import { applicationHref } from '../../../lib/page/places.ts'
import { classNames } from '../../../ui/class-names.ts'
import { EntryName } from '../../../ui/entry-name.tsx'
import type { MatrixRow } from '../matrix-rows.ts'
import type { EnvironmentColumn } from './environments.ts'

type EnvironmentSwitchProps = {
  current: { id: string }
  environments: readonly EnvironmentColumn[]
  rows: readonly MatrixRow[]
}

/** On a phone: which environment the list shows. */
export function EnvironmentSwitch({ current, environments, rows }: EnvironmentSwitchProps) {
  const [, navigate] = useLocation()
  if (environments.length < 2) return null
  return (
    <fieldset className="sticky top-13 z-10 mb-2 flex min-w-0 gap-1 overflow-x-auto rounded-md bg-sunken p-1 sm:hidden print:hidden">
      <legend className="sr-only">Environment</legend>
      {environments.map((bundle, column) => (
        <label
          key={bundle.id}
          className={classNames(
            'flex min-w-20 flex-1 flex-col items-center rounded-sm px-2 py-1 text-center text-xs has-focus-visible:outline-2 has-focus-visible:outline-accent',
            bundle.id === current.id
              ? isProduction(bundle)
                ? 'bg-danger-fill text-on-danger'
                : 'bg-raised text-ink shadow-card'
              : 'text-ink-soft',
          )}
        >
          <input
            type="radio"
            name="environment"
            className="sr-only"
            checked={bundle.id === current.id}
            onChange={() => navigate(`${applicationHref(bundle.name)}${location.search}`, { replace: true })}
          />
          <EntryName name={bundle.label} className="font-medium" />
          <span>{countText(rows, column)}</span>
        </label>
      ))}
    </fieldset>
  )
}

function countText(rows: readonly MatrixRow[], column: number): string {
  const cells = rows.flatMap(({ cells: { [column]: cell } }) => cell ?? [])
  const present = cells.filter(({ state }) => state !== 'missing').length
  const expired = cells.filter(({ facts }) => facts?.due === 'expired').length
  return expired > 0 ? `${present} · ${expired} expired` : String(present)
}
