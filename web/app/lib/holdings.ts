import { useQuery } from '@tanstack/react-query'
import type { Holding } from './answers.ts'
import { call } from './api.ts'

/** What a person was given, by key; for owners, also after the person was removed. */
export function useHoldings(userId: string) {
  return useQuery({
    queryKey: ['holdings', userId],
    queryFn: () =>
      call('GET', '/api/v1/members/{user_id}/holdings', {
        params: { user_id: userId },
        query: { limit: 1_000 },
      }),
  })
}

/** The keys whose current value is among what was given, or may be, each once. */
export function stillCurrent(holdings: readonly Holding[]): Holding['key'][] {
  const current = holdings.filter(
    ({ version, perhaps_version, key }) => version === key.version || perhaps_version === key.version,
  )
  return [...new Map(current.map(({ key }) => [key.id, key])).values()]
}
