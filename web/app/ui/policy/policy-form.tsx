import { type FormEvent, useState } from 'react'
import type { Policy, PolicyChange, PolicySetting } from '../../lib/calls/answers.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { Button } from '../button.tsx'
import { FailureNotice } from '../failure-notice.tsx'
import { notify } from '../toast-store.ts'
import type { Change } from '../use-ending.ts'
import { FIELDS } from './policy-words.ts'
import { RuleSelect } from './rule-select.tsx'

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
      <Button type="submit" look="primary" busy={save.isPending} disabled={!isChanged}>
        Save rules
      </Button>
    </form>
  )
}
