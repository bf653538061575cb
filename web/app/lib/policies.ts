import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import type { PolicyChange } from './answers.ts'
import { call } from './api.ts'

const POLICIES = ['policies']

/** A bundle's rules for approvals, and where each comes from. */
export function useBundlePolicy(bundleId: string) {
  return useQuery({
    queryKey: [...POLICIES, bundleId],
    queryFn: () => call('GET', '/api/v1/bundles/{bundle_id}/policy', { params: { bundle_id: bundleId } }),
  })
}

export function useChangeBundlePolicy(bundleId: string) {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: PolicyChange) =>
      call('PUT', '/api/v1/bundles/{bundle_id}/policy', { params: { bundle_id: bundleId }, body }),
    onSuccess: () => client.invalidateQueries({ queryKey: POLICIES }),
  })
}

/** The workspace's rules for approvals. */
export function useWorkspacePolicy() {
  return useQuery({ queryKey: POLICIES, queryFn: () => call('GET', '/api/v1/tenants/current/policy') })
}

export function useChangeWorkspacePolicy() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (body: PolicyChange) => call('PUT', '/api/v1/tenants/current/policy', { body }),
    onSuccess: () => client.invalidateQueries({ queryKey: POLICIES }),
  })
}
