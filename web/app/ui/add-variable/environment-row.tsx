import { applicationOf, environmentOf } from '@keyferry/contract/siblings'
import type { BundleValue } from '../../lib/rules/variable-draft.ts'
import { EnvChip } from '../env-chip.tsx'
import { Select } from '../select.tsx'
import { ValueField } from '../value-field.tsx'

type EnvironmentRowProps = {
  bundleName: string
  /** The name of the variable. */
  name: string
  place: BundleValue
  /** Whether the bundle delivers the name already. */
  hasIt: boolean
  /** Whether the person may not replace the value that it has. */
  isFixed: boolean
  /** Bundles whose key it can use. */
  sources: readonly string[]
  isSecret: boolean
  problem: string | null
  onChange: (place: BundleValue) => void
}

const NONE = { kind: 'none' } as const

/** How one environment gets a new variable. Typing a value is enough; the list offers the key of another bundle. */
export function EnvironmentRow(props: EnvironmentRowProps) {
  const { bundleName, name, place, hasIt, isFixed, sources, isSecret, problem, onChange } = props
  const value = place.kind === 'own' ? place.value : ''
  const none = hasIt ? 'as it is' : 'not here'
  const options = [
    ...(isFixed ? [] : [['own', 'own value']]),
    ...(hasIt ? [] : sources.map((other) => [`as ${other}`, `same as ${shortName(other, bundleName)}`])),
    ['none', none],
  ] as [string, string][]
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-x-3 gap-y-1 sm:grid-cols-[minmax(6rem,auto)_minmax(0,1fr)_auto]">
      <span className="py-2">
        <EnvChip name={bundleName} />
      </span>
      <div className="order-last col-span-2 sm:order-none sm:col-span-1">
        {isFixed ? (
          <p className="py-2 text-sm text-ink-soft">You may not change this value.</p>
        ) : place.kind === 'same' ? (
          <p className="hidden py-2 text-sm text-ink-soft sm:block">Changes with {place.as}.</p>
        ) : (
          <ValueField
            label={`Value in ${bundleName}`}
            value={value}
            isSecret={isSecret}
            placeholder={place.kind === 'own' ? 'an empty value' : none}
            onChange={(text) => onChange(typed(text))}
            problem={problem}
          />
        )}
        {hasIt && place.kind === 'own' && (
          <p className="mt-1 text-xs text-ink-soft">
            {bundleName} has {name}: it gets this value, and no other bundle does.
          </p>
        )}
      </div>
      <Select
        aria-label={`How ${bundleName} gets it`}
        value={place.kind === 'same' ? `as ${place.as}` : place.kind}
        options={options}
        onChange={(choice) => onChange(placeOf(choice, value))}
        className="field w-40 text-sm"
      />
    </li>
  )
}

// Deleting the whole text takes the bundle out again.
function typed(value: string): BundleValue {
  return value === '' ? NONE : { kind: 'own', value }
}

function placeOf(choice: string, value: string): BundleValue {
  if (choice === 'own') return { kind: 'own', value }
  return choice === 'none' ? NONE : { kind: 'same', as: choice.slice('as '.length) }
}

// Among environments of one application, the environment is enough.
function shortName(name: string, besides: string): string {
  return applicationOf(name) === applicationOf(besides) ? environmentOf(name) || name : name
}
