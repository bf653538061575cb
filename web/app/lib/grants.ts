import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { Grant } from './answers.ts'
import { call } from './api.ts'
import { optimistic } from './optimistic.ts'

const GRANTS = ['grants']
const MOST = 1_000

/** Remembered approvals of the workspace: a member's own, an owner's all. */
export function useGrants() {
  return useQuery({
    queryKey: GRANTS,
    queryFn: () => call('GET', '/api/v1/grants', { query: { limit: MOST } }),
  })
}

export function useRevokeGrant() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (id: string) => call('DELETE', '/api/v1/grants/{grant_id}', { params: { grant_id: id } }),
    ...optimistic<Grant[], string>(client, GRANTS, (grants, id) => grants.filter((grant) => grant.id !== id)),
  })
}

/** Revoke the person's own remembered approvals in every workspace. */
export function useRevokeOwnGrants() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: () => call('DELETE', '/api/v1/grants'),
    onSuccess: () => client.invalidateQueries({ queryKey: GRANTS }),
  })
}
