import type { Policy } from '../../lib/calls/answers.ts'
import { useAnswer } from '../../lib/calls/use-call.ts'
import { joined } from '../../lib/words/counted.ts'
import { choiceOf } from './rule-words.ts'

/** Who may approve, by name where rules name people. */
export function useApproversText({ approvers, people }: Pick<Policy, 'approvers' | 'people'>): string {
  const { data: members } = useAnswer('listMembers', {}, { enabled: people !== null })
  const text = choiceOf('approvers', approvers).word
  if (people === null || members === undefined) return text
  const able = members.filter(({ user_id, role }) => {
    const isOnList = people.includes(user_id)
    return isOnList && (approvers !== 'owner' || role === 'owner')
  })
  return able.length === 0
    ? 'Nobody'
    : joined(
        able.map(({ username }) => username),
        'and',
      )
}
