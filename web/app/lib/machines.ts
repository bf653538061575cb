import { useQuery } from '@tanstack/react-query'
import { call } from './api.ts'

const MACHINES = ['machines']

/** The machines of the workspace, by name. */
export function useMachines() {
  return useQuery({
    queryKey: MACHINES,
    queryFn: () => call('GET', '/api/v1/machines', { query: { limit: 1_000 } }),
  })
}
