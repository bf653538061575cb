import type { Member, Policy } from '../../lib/calls/answers.ts'
import { counted, joined } from '../../lib/words/counted.ts'
import { CircleAlert, CircleCheck } from '../../ui/icons.ts'

type ExampleProps = {
  policy: Policy
  members: readonly Member[]
  /** The name of a bundle in the place. */
  bundle: string
}

/** An example of the rules: who can say yes when a member of this workspace runs a command. */
export function RuleExample({ policy, members, bundle }: ExampleProps) {
  const asker = members.find(({ role }) => role === 'member') ?? members[0]
  if (asker === undefined) return null
  const able = members.filter((member) => mayApprove(policy, member)).map(({ username }) => username)
  const needed = policy.approvals_needed
  const isStuck = able.length < needed
  const Icon = isStuck ? CircleAlert : CircleCheck
  return (
    <p className="mt-2 flex gap-2 text-xs text-ink-soft">
      <Icon aria-hidden size={16} className={isStuck ? 'shrink-0 text-caution' : 'shrink-0'} />
      <span className="min-w-0 break-words">
        If {asker.username} runs a command with {bundle},{' '}
        {isStuck
          ? `the approval fails. It needs ${counted(needed, 'person', 'people')}, and only ${able.length} may say yes.`
          : `${who(able, needed)}.`}
      </span>
    </p>
  )
}

function mayApprove({ approvers, people }: Policy, { role, user_id }: Member): boolean {
  return (approvers !== 'owner' || role === 'owner') && (people === null || people.includes(user_id))
}

const SHOWN = 3

function who(able: readonly string[], needed: number): string {
  const names = able.length > SHOWN ? [...able.slice(0, 2), `${able.length - 2} others`] : able
  if (needed === 1) return `${joined(names, 'or')} can say yes`
  return able.length === needed ? `${joined(names, 'and')} say yes` : `two of ${joined(names, 'and')} say yes`
}
