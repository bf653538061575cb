import { useAnswer } from '../calls/use-call.ts'
import type { Known } from '../rules/still-current.ts'

/** What a whole list is asked for, so that every page shares one answer. */
export const ALL = { limit: 1_000 }

/** Remembered approvals of the workspace: a member's own, an owner's all. */
export const useGrants = () => useAnswer('listGrants', ALL)

/** The person's own that make their terminals known. */
export const useKnownGrants = () => useAnswer('listGrants', { ...ALL, known: '1' })

/** What a person knows: the values that they were given, and those that they typed; undefined until both are there. */
export function useKnownValues(userId: string): readonly Known[] | undefined {
  const input = { user_id: userId, limit: 1_000 }
  const given = useAnswer('listHoldings', input).data
  const typed = useAnswer('listTypedValues', input).data
  return given && typed && [...given, ...typed]
}
