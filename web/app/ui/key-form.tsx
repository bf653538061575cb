import { isKeyName } from '@keyferry/contract/env/names'
import { type FormEvent, useState } from 'react'
import type { Key } from '../lib/calls/answers.ts'
import { describeFailure } from '../lib/calls/failure.ts'
import { useChange } from '../lib/calls/use-change.ts'
import type { Lifetime } from '../lib/data/keys.ts'
import { useClosing, useUnsaved } from '../lib/page/unsaved.ts'
import { looksSecret } from '../lib/rules/key-names.ts'
import { templateIn } from '../lib/rules/templates.ts'
import { valueProblem } from '../lib/rules/value-warnings.ts'
import { Button } from './button.tsx'
import { DescriptionField } from './description-field.tsx'
import { LifetimeFields, rotationProblem } from './lifetime-fields.tsx'
import { SecretCheckbox } from './secret-checkbox.tsx'
import { TemplateChoice } from './template-choice.tsx'
import { TemplateParts } from './template-parts.tsx'
import { TextField } from './text-field.tsx'
import { ValueField } from './value-field.tsx'

type KeyFormProps = {
  submitLabel: string
  onCreated: (key: Key) => void
  onCancel: () => void
}

type Problems = { name?: string; value?: string }

/** Asks for a new library key. Whether it is secret is guessed from its name until the person decides. */
export function KeyForm({ submitLabel, onCreated, onCancel }: KeyFormProps) {
  const { draft, set, isSecret, decideSecret, problems, submit, isPending } = useNewKey(onCreated)
  const closing = useClosing()
  const template = draft.is_template ? templateIn(draft.value) : null
  return (
    <form onSubmit={submit} className="space-y-4" noValidate>
      <TextField
        label="Name"
        autoFocus
        value={draft.name}
        onChange={(event) => set({ name: event.currentTarget.value })}
        problem={problems.name}
        hint="Letters, digits and _, as a program reads it: DATABASE_URL."
        autoCapitalize="characters"
        code="normal"
      />
      <ValueField
        label={template === null ? 'Value' : 'Text'}
        value={draft.value}
        isSecret={isSecret}
        onChange={(value) => set({ value })}
        problem={problems.value}
      />
      <TemplateChoice
        text={draft.value}
        checked={draft.is_template}
        onChange={(is_template) => set({ is_template })}
      />
      {template?.problem === null && <TemplateParts parts={template.parts} bundles={[]} />}
      <SecretCheckbox checked={isSecret} onChange={decideSecret} isTemplate={draft.is_template} />
      <DescriptionField value={draft.description} onChange={(description) => set({ description })} />
      <LifetimeFields lifetime={draft} onChange={set} />
      <div className="flex justify-end gap-3 pt-2">
        <Button label="Cancel" onClick={() => closing(onCancel)} />
        <Button label={submitLabel} type="submit" look="primary" busy={isPending} />
      </div>
    </form>
  )
}

const NO_LIFETIME: Lifetime = { expires_at: null, rotate_after_days: null }

function useNewKey(onCreated: (key: Key) => void) {
  const create = useChange('createKey', {})
  const [draft, setDraft] = useState({
    name: '',
    value: '',
    is_template: false,
    description: '',
    ...NO_LIFETIME,
  })
  const [decided, decideSecret] = useState<boolean | null>(null)
  const [problems, setProblems] = useState<Problems>({})
  const saved = useUnsaved(draft.name !== '' || draft.value !== '' || draft.description !== '')
  const guessed = !draft.is_template && (draft.name === '' || looksSecret(draft.name, draft.value))
  const isSecret = decided ?? guessed
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const found = problemsOf(draft)
    setProblems(found)
    if (rotationProblem(draft.rotate_after_days) !== null) return
    if (Object.keys(found).length > 0 || create.isPending) return
    create.mutate(
      { ...draft, is_secret: isSecret },
      {
        onSuccess: (key) => {
          saved()
          onCreated(key)
        },
        onError: (error) => setProblems({ name: describeFailure(error).message }),
      },
    )
  }
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  return { draft, set, isSecret, decideSecret, problems, submit, isPending: create.isPending }
}

type Typed = { name: string; value: string; is_template: boolean }

function problemsOf({ name, value, is_template }: Typed): Problems {
  const problem = valueProblem(value) ?? (is_template ? templateIn(value).problem : null)
  return {
    ...(isKeyName(name)
      ? {}
      : { name: name === '' ? 'Give the key a name.' : 'Use letters, digits and _ only.' }),
    ...(problem === null ? {} : { value: problem }),
  }
}
