import type { Member, Policy } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { ROLE_NAMES } from '../../lib/data/me.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { choiceOf } from './rule-words.ts'

type NamedPeopleProps = { chosen: readonly string[]; onChange: (chosen: string[]) => void }

/** The members, each with a checkbox: the chosen ones may approve. */
export function NamedPeople(props: NamedPeopleProps) {
  const members = useAnswer('listMembers', {})
  return (
    <fieldset className="min-w-0 rounded-lg border border-line px-4 pt-1 pb-3 sm:col-span-2">
      <legend className="px-1 text-sm font-medium">People who may approve</legend>
      <Loaded query={members} what="the members">
        {(data) => <People members={data} {...props} />}
      </Loaded>
    </fieldset>
  )
}

function People({ members, chosen, onChange }: NamedPeopleProps & { members: readonly Member[] }) {
  const before = members.map(({ user_id }) => user_id).filter((id) => chosen.includes(id))
  const left = chosen.length - before.length
  const toggle = (id: string, on: boolean) =>
    onChange((on ? [...before, id] : before.filter((other) => other !== id)).toSorted())
  return (
    <>
      <div className="grid max-h-64 gap-x-6 overflow-y-auto sm:grid-cols-2">
        {members.map(({ user_id: id, username, email, role }) => (
          <Checkbox
            key={id}
            className="flex items-start gap-3 py-2"
            boxClass="mt-0.5"
            checked={chosen.includes(id)}
            onChange={(on) => toggle(id, on)}
          >
            <span className="min-w-0 text-sm">
              <bdi className="font-medium break-all">{username}</bdi>
              <span className="block text-xs break-all text-ink-soft">
                {ROLE_NAMES[role]}
                {email && ` · ${email}`}
              </span>
            </span>
          </Checkbox>
        ))}
      </div>
      <p role="status" className="text-xs text-ink-soft">
        {before.length === 0 && 'Choose at least one person. '}
        {left > 0 && `${left} of the list left the workspace.`}
      </p>
    </>
  )
}

const LIST = new Intl.ListFormat('en', { type: 'conjunction' })

/** Who may approve, by name where rules name people. */
export function useApproversText({ approvers, people }: Pick<Policy, 'approvers' | 'people'>): string {
  const { data: members } = useAnswer('listMembers', {}, { enabled: people !== null })
  const text = choiceOf('approvers', approvers).word
  if (people === null || members === undefined) return text
  const able = members.filter(({ user_id, role }) => {
    const isOnList = people.includes(user_id)
    return isOnList && (approvers !== 'owner' || role === 'owner')
  })
  return able.length === 0 ? 'Nobody' : LIST.format(able.map(({ username }) => username))
}
