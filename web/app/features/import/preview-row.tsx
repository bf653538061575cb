import type { EnvEntry } from '@keyferry/contract/env'
import { MASK } from '@keyferry/contract/limits'
import { useId } from 'react'
import type { ImportAction, ImportStep } from '../../lib/answers.ts'
import { looksSecret } from '../../lib/key-names.ts'
import { builtFrom } from '../../lib/templates.ts'
import { valueWarnings } from '../../lib/value-warnings.ts'
import { Badge } from '../../ui/badge.tsx'
import { classNames } from '../../ui/class-names.ts'
import type { Choice } from './decisions.ts'

const ACTIONS = {
  create: { name: 'New', tone: 'good' },
  own: { name: 'Own', tone: 'good' },
  share: { name: 'Shared', tone: 'accent' },
  update: { name: 'Updated', tone: 'caution' },
  replace: { name: 'Replaces', tone: 'danger' },
  same: { name: 'Same', tone: 'plain' },
  kept: { name: 'Kept', tone: 'plain' },
} as const satisfies Record<ImportAction, { name: string; tone: string }>

const CHOICES: Readonly<Record<Choice, string>> = {
  own: 'Own value here',
  share: 'Keep the shared value',
  replace: 'Replace it everywhere',
}

type PreviewRowProps = {
  entry: EnvEntry
  /** What the plan does with it; undefined while there is no plan, and for an entry that is left out. */
  step: ImportStep | undefined
  skipped: boolean
  /** What the bundle delivers now, if everyone may read it. */
  before: string | undefined
  /** What the person decided; undefined follows the name or the key. */
  secret: boolean | undefined
  onSkip: (name: string, skipped: boolean) => void
  onSecret: (name: string, secret: boolean) => void
  onChoose: (name: string, choice: Choice) => void
}

/** One line of the preview. It shows how a value changes only if neither the old nor the new one is secret. */
export function PreviewRow({ entry, step, skipped, before, secret, ...decide }: PreviewRowProps) {
  const id = useId()
  const { name, value, line } = entry
  const warnings = value === MASK ? [] : valueWarnings(value)
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
        checked={!skipped}
        onChange={(event) => decide.onSkip(name, !event.currentTarget.checked)}
        aria-describedby={`${id}-note`}
      />
      <div className="min-w-0 flex-1 basis-44">
        <label htmlFor={id} className="font-mono text-sm font-medium break-all">
          {name}
        </label>
        <p id={`${id}-note`} className="text-xs text-ink-soft">
          Line {line}
          {step !== undefined && !skipped && noteOf(step)}
        </p>
        {step !== undefined && !skipped && before !== undefined && !(secret ?? step.is_secret) && (
          <ValueChange before={before} after={value} step={step} />
        )}
        {warnings.length > 0 && <p className="text-xs text-caution">{warnings.join(' ')}</p>}
      </div>
      {step !== undefined && !skipped && <StepChoice step={step} onChoose={decide.onChoose} />}
      <label className="inline-flex min-h-7 items-center gap-2 text-sm text-ink-soft">
        <input
          type="checkbox"
          className="checkbox"
          checked={secret ?? isSecret(entry, step)}
          aria-label={`Secret: ${name}`}
          disabled={skipped || (step !== undefined && step.action !== 'create' && step.action !== 'own')}
          onChange={(event) => decide.onSecret(name, event.currentTarget.checked)}
        />
        Secret
      </label>
    </li>
  )
}

const CHANGES: ReadonlySet<ImportAction> = new Set(['own', 'update', 'replace'])

type ValueChangeProps = { before: string; after: string; step: ImportStep }

function ValueChange({ before, after, step }: ValueChangeProps) {
  if (!CHANGES.has(step.action) || before === after) return null
  return (
    <p className="mt-0.5 font-mono text-xs [overflow-wrap:anywhere]">
      <del className="text-ink-soft">{shortened(before)}</del> <span aria-hidden>→</span>{' '}
      <ins className="no-underline">{shortened(after)}</ins>
    </p>
  )
}

const SHOWN = 80

function shortened(value: string): string {
  if (value === '') return '(empty)'
  return value.length > SHOWN ? `${value.slice(0, SHOWN)}…` : value
}

function isSecret({ name, value }: EnvEntry, step: ImportStep | undefined): boolean {
  return step === undefined || step.action === 'create' ? looksSecret(name, value) : step.is_secret
}

function StepChoice({
  step,
  onChoose,
}: {
  step: ImportStep
  onChoose: (name: string, choice: Choice) => void
}) {
  const { name, tone } = ACTIONS[step.action]
  return (
    <>
      {step.choices.length > 0 && (
        <select
          aria-label={`What to do with ${step.name}`}
          value={choiceOf(step)}
          onChange={({ currentTarget: { value } }) => {
            const choice = step.choices.find((other) => other === value)
            if (choice !== undefined) onChoose(step.name, choice)
          }}
          className="field min-h-8 w-auto py-1 text-sm"
        >
          {choiceOf(step) === '' && <option value="">{restingText(step)}</option>}
          {step.choices.map((choice) => (
            <option key={choice} value={choice}>
              {choiceText(step, choice)}
            </option>
          ))}
        </select>
      )}
      <Badge tone={tone}>{name}</Badge>
    </>
  )
}

function choiceOf({ action, template_parts }: ImportStep): string {
  if (action === 'kept') return template_parts === undefined ? 'share' : ''
  return action === 'own' || action === 'share' || action === 'replace' ? action : ''
}

function restingText({ action, template_parts }: ImportStep): string {
  if (action === 'update') return 'Use the value here'
  return template_parts === undefined ? 'Leave as it is' : 'Keep it composed'
}

function choiceText({ template_parts, shared_total }: ImportStep, choice: Choice): string {
  return template_parts !== undefined && shared_total === 0 ? 'Use this value instead' : CHOICES[choice]
}

function noteOf({ action, name, key_name, shared_with, shared_total, template_parts }: ImportStep): string {
  if (template_parts !== undefined && (action === 'same' || action === 'kept')) {
    const rest = action === 'same' ? '; nothing to write' : '; the value in the file is not used'
    return ` · ${builtFrom(template_parts)}${rest}`
  }
  const [first] = shared_with
  const others =
    first === undefined ? 'no bundle' : shared_total === 1 ? first : `${first} and ${shared_total - 1} more`
  const key = key_name === name ? '' : `, key ${key_name}`
  const notes: Readonly<Record<ImportAction, string>> = {
    create: key,
    own: shared_total === 0 ? `, key ${key_name}` : `, key ${key_name}; ${others} keeps its value`,
    share: ` · uses the key ${key_name}${shared_total === 0 ? '' : `, shared with ${others}`}`,
    update: ` · only this bundle uses it${key}`,
    replace: ` · also changes ${others}`,
    same: ' · nothing to write',
    kept: shared_total === 0 ? ' · keeps the stored value' : ` · keeps the value shared with ${others}`,
  }
  return notes[action]
}
