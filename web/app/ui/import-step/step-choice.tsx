import type { ImportChoice as Choice, ImportAction, ImportStep } from '../../lib/calls/answers.ts'
import { choiceOf } from '../../lib/words/import-steps.ts'
import { Badge } from '../badge.tsx'
import { Select } from '../select.tsx'

const ACTIONS = {
  create: { name: 'New', tone: 'good' },
  share: { name: 'Shared', tone: 'accent' },
  update: { name: 'Updated', tone: 'accent' },
  replace: { name: 'Replaces', tone: 'accent' },
  kept: { name: 'Kept', tone: 'plain' },
  detach: { name: 'Removed', tone: 'plain' },
} as const satisfies Partial<Record<ImportAction, { name: string; tone: string }>>

const CHOICES: Readonly<Record<Choice, string>> = {
  own: 'Own value here',
  share: 'Keep the shared value',
  replace: 'Replace it everywhere',
}

/** What an import does with one variable, and what a person may choose instead. */
export function StepChoice({
  step,
  onChoose,
}: {
  step: ImportStep
  onChoose?: ((name: string, choice: Choice) => void) | undefined
}) {
  if (step.choices.length > 0)
    return (
      <Select
        aria-label={`What to do with ${step.name}`}
        value={choiceOf(step)}
        options={optionsOf(step)}
        onChange={(choice) => choice !== '' && onChoose?.(step.name, choice)}
        className="choice text-xs"
      />
    )
  const { action } = step
  return (
    action !== 'own' && action !== 'same' && <Badge tone={ACTIONS[action].tone}>{ACTIONS[action].name}</Badge>
  )
}

function optionsOf(step: ImportStep): [Choice | '', string][] {
  const choices = step.choices.map((choice): [Choice, string] => [choice, choiceText(step, choice)])
  return choiceOf(step) === '' ? [['', restingText(step)], ...choices] : choices
}

function restingText({ action, template_parts }: ImportStep): string {
  if (action === 'update') return 'Use the value here'
  return template_parts === undefined ? 'Leave as it is' : 'Keep it composed'
}

function choiceText({ template_parts, shared_total, changed }: ImportStep, choice: Choice): string {
  if (changed && choice === 'share') return 'Keep the changed value'
  return (changed || template_parts !== undefined) && shared_total === 0
    ? 'Use this value instead'
    : CHOICES[choice]
}
