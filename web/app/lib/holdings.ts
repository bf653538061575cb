import { useQuery } from '@tanstack/react-query'
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

/** What a machine was given, by key; for owners, also after the machine was deleted. */
export function useMachineHoldings(machineId: string) {
  return useQuery({
    queryKey: ['holdings', machineId],
    queryFn: () =>
      call('GET', '/api/v1/machines/{machine_id}/holdings', {
        params: { machine_id: machineId },
        query: { limit: 1_000 },
      }),
  })
}
