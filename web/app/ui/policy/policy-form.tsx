import { type FormEvent, useState } from 'react'
import type { Policy, PolicyChange, PolicySetting } from '../../lib/calls/answers.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { Button } from '../button.tsx'
import { FailureNotice } from '../failure-notice.tsx'
import { SelectField } from '../select.tsx'
import { notify } from '../toast-store.ts'
import type { Change } from '../use-ending.ts'
import { FIELDS, type Field, LABELS, nameOfChoice, OPTIONS } from './policy-words.ts'

type PolicyFormProps = {
  /** What this place sets. */
  own: PolicySetting
  /** What counts: the strictest of all places. */
  effective: Policy
  /** What a rule that this place leaves open follows. */
  inherits: string
  save: Change<PolicyChange, unknown>
}

/** The rules that one place sets. A change is saved as a whole. */
export function PolicyForm({ own, effective, inherits, save }: PolicyFormProps) {
  const [draft, setDraft] = useState<PolicySetting>(own)
  const isChanged = FIELDS.some((field) => draft[field] !== own[field])
  const saved = useUnsaved(isChanged)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isChanged || save.isPending) return
    save.mutate(draft, {
      onSuccess: () => {
        saved()
        notify({ text: 'Saved. Remembered approvals that these rules concern have ended.' })
      },
    })
  }
  const rules = { draft, effective, inherits, onChange: setDraft }
  return (
    <form onSubmit={submit} className="max-w-3xl space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        {FIELDS.map((field) => (
          <RuleSelect key={field} field={field} {...rules} />
        ))}
      </div>
      <FailureNotice error={save.error} />
      <Button label="Save rules" type="submit" look="primary" busy={save.isPending} disabled={!isChanged} />
    </form>
  )
}

type RuleSelectProps = {
  field: Field
  draft: PolicySetting
  effective: Policy
  inherits: string
  onChange: (draft: PolicySetting) => void
}

/** One rule: what this place sets, and what counts where another place is stricter. */
function RuleSelect({ field, draft, effective, inherits, onChange }: RuleSelectProps) {
  const options = OPTIONS[field]
  const value = draft[field]
  const isOther = value !== null && options.every((option) => option.value !== value)
  const shown = isOther ? [{ value, name: nameOfChoice(field, value) }, ...options] : options
  const choose = (text: string) => {
    const chosen = options.find((option) => String(option.value) === text)?.value ?? null
    onChange({ ...draft, [field]: chosen })
  }
  return (
    <SelectField
      label={LABELS[field]}
      value={String(value ?? '')}
      options={[['', inherits], ...shown.map((option) => [String(option.value), option.name] as const)]}
      onChange={choose}
      hint={`Now: ${nameOfChoice(field, effective[field])}`}
    />
  )
}
