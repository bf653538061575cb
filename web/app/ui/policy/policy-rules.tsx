import { Fragment, type ReactNode } from 'react'
import type { Policy, PolicyChange, PolicySetting } from '../../lib/calls/answers.ts'
import type { Called } from '../../lib/calls/call.ts'
import { isOvertaken } from '../../lib/calls/failure.ts'
import { useMay } from '../../lib/data/me.ts'
import { useUnsaved } from '../../lib/page/unsaved.ts'
import { useEdit } from '../../lib/page/use-edit.ts'
import { Button } from '../button.tsx'
import { ConflictNotice } from '../conflict-notice.tsx'
import { Facts } from '../facts.tsx'
import { Form } from '../form.tsx'
import { FailureNotice, Notice } from '../notice.tsx'
import { SelectField } from '../select.tsx'
import { notify } from '../toast-store.ts'
import type { Mutation } from '../use-ending.ts'
import { NamedPeople, useApproversText } from './named-people.tsx'
import { FIELDS, type Field, LABELS, nameOfChoice, OPTIONS } from './policy-words.ts'

type PolicyRulesProps = PolicyFormProps & {
  /** What changes these rules. */
  operation: Called
  /** What an owner should change, and the button that does it; null: nothing. */
  advice: { text: string; action: string; change: PolicyChange } | null
}

/** The rules of one place. Who may change them gets a form; others read what counts. */
export function PolicyRules({ operation, advice, ...form }: PolicyRulesProps) {
  const { own, effective, save } = form
  if (!useMay()(operation)) return <PolicyFacts effective={effective} />
  return (
    <>
      {advice !== null && (
        <Notice tone="caution" className="mb-4 max-w-read">
          <p>{advice.text}</p>
          <Button
            label={advice.action}
            size="small"
            className="mt-2"
            busy={save.isPending}
            onClick={() => save.mutate({ ...advice.change, expected: { assurance: own.assurance } })}
          />
        </Notice>
      )}
      <PolicyForm {...form} />
    </>
  )
}

function PolicyFacts({ effective }: { effective: Policy }) {
  const textOf = useRuleText(effective)
  return (
    <Facts
      facts={Object.fromEntries(FIELDS.map((field) => [LABELS[field], textOf(field)]))}
      className="max-w-read gap-y-1 rounded-lg border border-line bg-surface p-4 text-sm sm:grid-cols-[16rem_1fr] [&>*>dd]:mb-2 sm:[&>*>dd]:mb-0"
    />
  )
}

/** What counts, in words. */
function useRuleText(effective: Policy) {
  const approvers = useApproversText(effective)
  return (field: Field) => (field === 'approvers' ? approvers : nameOfChoice(field, effective[field]))
}

type PolicyFormProps = {
  /** The id of the bundle or the workspace. */
  placeId: string
  /** What this place sets. */
  own: PolicySetting
  /** What counts: the strictest of all places. */
  effective: Policy
  /** What a rule that this place leaves open follows. */
  inherits: string
  save: Mutation<PolicyChange, unknown>
  /** What else the rules change. */
  children?: ReactNode
}

/** The rules that one place sets. A change is saved as a whole. */
function PolicyForm({ placeId, own, effective, inherits, save, children }: PolicyFormProps) {
  const { draft, change, set, reset, conflict } = useEdit<PolicySetting>(own)
  const lacksPeople = draft.approvers === 'named' && !draft.people?.length
  const saved = useUnsaved(change !== null)
  const submit = () => {
    if (change === null || lacksPeople) return
    save.mutate(withPeople(change, draft), {
      onSuccess: () => {
        saved()
        reset()
        notify({ text: 'Saved. Remembered approvals that these rules concern have ended.' })
      },
    })
  }
  const textOf = useRuleText(effective)
  return (
    <Form busy={save.isPending} onSubmit={submit} className="max-w-read space-y-4">
      <div className="grid gap-4 sm:grid-cols-2">
        {FIELDS.map((field) => (
          <Fragment key={field}>
            <RuleSelect {...{ field, draft, inherits }} now={textOf(field)} onChange={set} />
            {field === 'approvers' && draft.approvers === 'named' && (
              <NamedPeople chosen={draft.people ?? []} onChange={(people) => set({ people })} />
            )}
          </Fragment>
        ))}
      </div>
      {children}
      <ConflictNotice
        conflict={conflict}
        recordId={placeId}
        words={{ nameOf: nameOfField, textOf: (field, value) => textOfChoice(field, value, inherits) }}
      />
      <FailureNotice error={isOvertaken(save.error) ? null : save.error} />
      <Button
        label="Save rules"
        type="submit"
        look="primary"
        busy={save.isPending}
        disabled={change === null || lacksPeople}
      />
    </Form>
  )
}

/** People belong to the approvers, so both are sent together. */
function withPeople(change: PolicyChange, { approvers, people }: PolicySetting): PolicyChange {
  if (change.approvers === undefined && change.people === undefined) return change
  return { ...change, approvers, people: approvers === 'named' ? people : null }
}

const isField = (field: string): field is Field => field in LABELS

const nameOfField = (field: string) => (isField(field) ? LABELS[field] : 'The people who may approve')

function textOfChoice(field: string, value: unknown, inherits: string): string {
  if (Array.isArray(value)) return value.length === 1 ? '1 person' : `${value.length} people`
  if (!isField(field)) return 'nobody by name'
  const option = OPTIONS[field].find((each) => each.value === value)
  return option?.name ?? (typeof value === 'number' ? nameOfChoice(field, value) : inherits)
}

type RuleSelectProps = {
  field: Field
  draft: PolicySetting
  /** What counts, in words. */
  now: string
  inherits: string
  onChange: (change: Partial<PolicySetting>) => void
}

/** One rule: what this place sets, and what counts where another place is stricter. */
function RuleSelect({ field, draft, now, inherits, onChange }: RuleSelectProps) {
  const options = OPTIONS[field]
  const value = draft[field]
  const isOther = value !== null && options.every((option) => option.value !== value)
  const shown = isOther ? [{ value, name: nameOfChoice(field, value) }, ...options] : options
  const choose = (text: string) => {
    const chosen = options.find((option) => String(option.value) === text)?.value ?? null
    onChange({ [field]: chosen })
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
