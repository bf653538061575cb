import { Fragment, type ReactNode, useState } from 'react'
import type { Policy, PolicyChange, PolicySetting } from '../../lib/calls/answers.ts'
import { useIsOwner } from '../../lib/data/me.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { Button } from '../button.tsx'
import { Facts } from '../facts.tsx'
import { Form } from '../form.tsx'
import { FailureNotice, Notice } from '../notice.tsx'
import { SelectField } from '../select.tsx'
import { notify } from '../toast-store.ts'
import type { Change } from '../use-ending.ts'
import { NamedPeople, useApproversText } from './named-people.tsx'
import { FIELDS, type Field, LABELS, nameOfChoice, OPTIONS } from './policy-words.ts'

type PolicyRulesProps = PolicyFormProps & {
  /** What an owner should change, and the button that does it; null: nothing. */
  advice: { text: string; action: string; change: PolicyChange } | null
}

/** The rules of one place. An owner changes them; a member reads what counts. */
export function PolicyRules({ advice, ...form }: PolicyRulesProps) {
  const { own, effective, save } = form
  if (!useIsOwner()) return <PolicyFacts effective={effective} />
  return (
    <>
      {advice !== null && (
        <Notice tone="caution" className="mb-4 max-w-xl">
          <p>{advice.text}</p>
          <Button
            label={advice.action}
            size="small"
            className="mt-2"
            busy={save.isPending}
            onClick={() => save.mutate(advice.change)}
          />
        </Notice>
      )}
      <PolicyForm key={JSON.stringify(own)} {...form} />
    </>
  )
}

function PolicyFacts({ effective }: { effective: Policy }) {
  const textOf = useRuleText(effective)
  return (
    <Facts
      facts={Object.fromEntries(FIELDS.map((field) => [LABELS[field], textOf(field)]))}
      className="max-w-xl gap-y-1 rounded-lg border border-line bg-surface p-4 text-sm sm:grid-cols-[16rem_1fr] [&>*>dd]:mb-2 sm:[&>*>dd]:mb-0"
    />
  )
}

/** What counts, in words. */
function useRuleText(effective: Policy) {
  const approvers = useApproversText(effective)
  return (field: Field) => (field === 'approvers' ? approvers : nameOfChoice(field, effective[field]))
}

type PolicyFormProps = {
  /** What this place sets. */
  own: PolicySetting
  /** What counts: the strictest of all places. */
  effective: Policy
  /** What a rule that this place leaves open follows. */
  inherits: string
  save: Change<PolicyChange, unknown>
  /** What else the rules change. */
  children?: ReactNode
}

/** The rules that one place sets. A change is saved as a whole. */
function PolicyForm({ own, effective, inherits, save, children }: PolicyFormProps) {
  const [draft, setDraft] = useState<PolicySetting>(own)
  const change = changeOf(own, draft)
  const isChanged = Object.keys(change).length > 0
  const lacksPeople = change.approvers === 'named' && !change.people?.length
  const saved = useUnsaved(isChanged)
  const submit = () => {
    if (!isChanged || lacksPeople) return
    save.mutate(change, {
      onSuccess: () => {
        saved()
        notify({ text: 'Saved. Remembered approvals that these rules concern have ended.' })
      },
    })
  }
  const textOf = useRuleText(effective)
  return (
    <Form busy={save.isPending} onSubmit={submit} className="max-w-3xl space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        {FIELDS.map((field) => (
          <Fragment key={field}>
            <RuleSelect {...{ field, draft, inherits }} now={textOf(field)} onChange={setDraft} />
            {field === 'approvers' && draft.approvers === 'named' && (
              <NamedPeople
                chosen={draft.people ?? []}
                onChange={(people) => setDraft({ ...draft, people })}
              />
            )}
          </Fragment>
        ))}
      </div>
      {children}
      <FailureNotice error={save.error} />
      <Button
        label="Save rules"
        type="submit"
        look="primary"
        busy={save.isPending}
        disabled={!isChanged || lacksPeople}
      />
    </Form>
  )
}

/** The rules that differ. People belong to the approvers, so both change together. */
function changeOf(own: PolicySetting, draft: PolicySetting): PolicyChange {
  const people = draft.approvers === 'named' ? draft.people : null
  const whoChanged = draft.approvers !== own.approvers || sorted(people) !== sorted(own.people)
  const others = FIELDS.filter((field) => field !== 'approvers' && draft[field] !== own[field])
  return {
    ...Object.fromEntries(others.map((field) => [field, draft[field]])),
    ...(whoChanged ? { approvers: draft.approvers, people } : {}),
  }
}

const sorted = (people: readonly string[] | null): string | null => people?.toSorted().join() ?? null

type RuleSelectProps = {
  field: Field
  draft: PolicySetting
  /** What counts, in words. */
  now: string
  inherits: string
  onChange: (draft: PolicySetting) => void
}

/** One rule: what this place sets, and what counts where another place is stricter. */
function RuleSelect({ field, draft, now, inherits, onChange }: RuleSelectProps) {
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
      hint={`Now: ${now}`}
    />
  )
}
