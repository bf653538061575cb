import type { Member, Policy } from '../../lib/calls/answers.ts'
import { counted, joined } from '../../lib/words/counted.ts'
import { CircleAlert, CircleCheck } from '../../ui/icons.ts'
import type { Field } from './rule-words.ts'

type ExampleProps = {
  policy: Policy
  members: readonly Member[]
  /** The name of a bundle in the place. */
  bundle: string
  /** The rule whose menu is open. */
  field: Field | null
}

/** What the rules mean for people and a bundle of this workspace. */
export function RuleExample({ policy, members, bundle, field }: ExampleProps) {
  const asker = members.find(({ role }) => role === 'member') ?? members[0]
  if (asker === undefined) return null
  const able = members.filter((member) => mayApprove(policy, member)).map(({ username }) => username)
  const other = field === 'agents' || field === 'changers' ? field : null
  const isStuck = other === null && able.length < policy.approvals_needed
  const Icon = isStuck ? CircleAlert : CircleCheck
  return (
    <p className="mt-2 flex gap-2 text-xs text-ink-soft">
      <Icon aria-hidden size={16} className={isStuck ? 'shrink-0 text-caution' : 'shrink-0'} />
      <span className="min-w-0 break-words">
        {other === null
          ? story(policy, { able, asker: asker.username, bundle })
          : OTHER[other](policy, asker)}
      </span>
    </p>
  )
}

function mayApprove({ approvers, people }: Policy, { role, user_id }: Member): boolean {
  return (approvers !== 'owner' || role === 'owner') && (people === null || people.includes(user_id))
}

const OTHER: Readonly<Record<'agents' | 'changers', (policy: Policy, asker: Member) => string>> = {
  agents: ({ agents }, { username }) =>
    ({
      remember: `An agent of ${username} asks like ${username}, and its approval can be remembered.`,
      ask: `An agent of ${username} waits for a person at each command.`,
      deny: `An agent of ${username} is refused. ${username} runs the command without the agent.`,
    })[agents],
  changers: ({ changers }, { username, role }) =>
    role === 'owner'
      ? `${username} is an owner and changes every value.`
      : {
          member: `${username} changes every value.`,
          setter: `${username} changes only values that ${username} set.`,
          owner: `${username} proposes a value, and an owner accepts it.`,
        }[changers],
}

type Story = { able: readonly string[]; asker: string; bundle: string }

function story(policy: Policy, { able, asker, bundle }: Story): string {
  const start = `If ${asker} runs a command with ${bundle}: `
  const needed = policy.approvals_needed
  if (able.length < needed)
    return `${start}the approval fails. It needs ${counted(needed, 'person', 'people')}, and only ${able.length} may approve.`
  const signs = { none: '', passkey: ' with an approval key', device: ' with a key of one device' }[
    policy.touch
  ]
  const each = signs !== '' && needed === 2 ? `, each${signs}` : signs
  const again =
    policy.remember_hours > 0 && policy.touch === 'none'
      ? ` The same command can start again for ${counted(policy.remember_hours, 'hour')}.`
      : ''
  return `${start}${who(able, needed)}${each}, ${wayOf(policy, asker)}.${again}`
}

const SHOWN = 3

function who(able: readonly string[], needed: number): string {
  const names = able.length > SHOWN ? [...able.slice(0, 2), `${able.length - 2} others`] : able
  if (needed === 1) return `${joined(names, 'or')} approves`
  return able.length === needed ? `${joined(names, 'and')} approve` : `two of ${joined(names, 'and')} approve`
}

function wayOf({ assurance }: Policy, asker: string): string {
  return {
    compat: 'after a look at the check code',
    bound: `and the values return to the terminal of ${asker}`,
    local: `and only the computer of ${asker} gets the values`,
  }[assurance]
}
