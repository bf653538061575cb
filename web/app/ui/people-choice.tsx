import type { Member } from '../lib/calls/answers.ts'
import { useAnswer } from '../lib/calls/use-call.ts'
import { ROLE_NAMES } from '../lib/data/me.ts'
import { counted } from '../lib/words/counted.ts'
import { Checkbox } from './checkbox.tsx'
import { EmailText } from './email-text.tsx'
import { Loaded } from './loaded.tsx'

type PeopleChoiceProps = {
  legend: string
  chosen: readonly string[]
  onChange: (chosen: string[]) => void
  /** Groups can be chosen too. */
  withGroups?: boolean
}

/** The members, and for owners the groups, each with a checkbox. */
export function PeopleChoice({ legend, withGroups = false, ...choice }: PeopleChoiceProps) {
  const members = useAnswer('listMembers', {})
  const groups = useAnswer('listGroups', {}, { enabled: withGroups })
  const ofGroups = (withGroups ? (groups.data ?? []) : []).map(({ id, name, people }) => ({
    id,
    name,
    facts: `Group · ${counted(people.length, 'member')}`,
  }))
  return (
    <fieldset className="min-w-0 rounded-lg border border-line px-4 pt-1 pb-3 sm:col-span-2">
      <legend className="px-1 text-sm font-medium">{legend}</legend>
      <Loaded query={withGroups && groups.data === undefined ? groups : members} what="the members">
        {() => (
          <Choices
            options={[...ofGroups, ...(members.data ?? []).map(optionOf)]}
            isNeeded={withGroups}
            {...choice}
          />
        )}
      </Loaded>
    </fieldset>
  )
}

type PersonOption = { id: string; name: string; facts: string }

function optionOf({ user_id: id, username: name, role, email }: Member): PersonOption {
  return { id, name, facts: `${ROLE_NAMES[role]}${email ? ` · ${email}` : ''}` }
}

type ChoicesProps = Pick<PeopleChoiceProps, 'chosen' | 'onChange'> & {
  options: readonly PersonOption[]
  isNeeded: boolean
}

function Choices({ options, isNeeded, chosen, onChange }: ChoicesProps) {
  const before = options.map(({ id }) => id).filter((id) => chosen.includes(id))
  const left = chosen.length - before.length
  const toggle = (id: string, on: boolean) =>
    onChange((on ? [...before, id] : before.filter((other) => other !== id)).toSorted())
  return (
    <>
      <div className="grid max-h-[45dvh] gap-x-6 overflow-y-auto sm:grid-cols-2">
        {options.map(({ id, name, facts }) => (
          <Checkbox
            key={id}
            className="flex min-w-0 items-start gap-3 py-2"
            boxClass="mt-0.5"
            checked={chosen.includes(id)}
            onChange={(on) => toggle(id, on)}
          >
            <span className="min-w-0 text-sm">
              <bdi className="font-medium [overflow-wrap:anywhere]">{name}</bdi>
              <span className="block text-xs text-ink-soft">
                <EmailText text={facts} />
              </span>
            </span>
          </Checkbox>
        ))}
      </div>
      <p role="status" className="text-xs text-ink-soft not-empty:mt-2">
        {isNeeded && before.length === 0 && 'Choose at least one person. '}
        {left > 0 && `${left} of the list left the workspace.`}
      </p>
    </>
  )
}
