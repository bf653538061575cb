import { applicationOf, environmentOf } from '@keyferry/contract/siblings'
import { useState } from 'react'
import type { BundleValue } from '../../lib/rules/variable-draft.ts'
import { EnvChip } from '../env-chip.tsx'
import { PlanRow } from '../import-step/step-row.tsx'
import { Select } from '../select.tsx'
import { ValueField } from '../value-field.tsx'

type EnvironmentRowProps = {
  bundleName: string
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
  const { bundleName, place, hasIt, isFixed, sources, isSecret, problem, onChange } = props
  const value = place.kind === 'own' ? place.value : ''
  // What was typed stays, for a person who looks at the other choices.
  const [text, setText] = useState(value)
  const options = [
    ...(isFixed ? [] : [['own', hasIt ? 'Own value here' : 'Add']]),
    ...(hasIt ? [] : sources.map((other) => [`as ${other}`, `Same as ${shortName(other, bundleName)}`])),
    ['none', hasIt ? 'Leave as it is' : 'Not here'],
  ] as [string, string][]
  return (
    <PlanRow
      lead={
        <span className="min-w-20 py-2">
          <EnvChip name={bundleName} />
        </span>
      }
      isField
      head={
        !isFixed &&
        place.kind !== 'same' && (
          <ValueField
            label={`Value in ${bundleName}`}
            value={value}
            isSecret={isSecret}
            placeholder={place.kind === 'own' ? 'an empty value' : ''}
            onChange={(next) => {
              setText(next)
              onChange(typed(next))
            }}
            problem={problem}
          />
        )
      }
      note={noteOf(props)}
      choice={
        <span className="ml-auto py-2 sm:w-28">
          <Select
            aria-label={`How ${bundleName} gets it`}
            value={place.kind === 'same' ? `as ${place.as}` : place.kind}
            options={options}
            onChange={(choice) => onChange(placeOf(choice, text))}
            className="choice text-xs"
          />
        </span>
      }
    />
  )
}

function noteOf({ place, hasIt, isFixed }: EnvironmentRowProps): string {
  if (isFixed) return 'You may not change this value.'
  if (place.kind === 'same') return `Shared with ${place.as}`
  return hasIt && place.kind === 'own' ? 'Replaces only this bundle’s value' : ''
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
