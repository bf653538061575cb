import { useQuery } from '@tanstack/react-query'
import { call } from './api.ts'

/** The names that bundles deliver, beside one another; asked for once there are two bundles. */
export function useComparison(bundleIds: readonly string[]) {
  return useQuery({
    queryKey: ['compare', ...bundleIds],
    queryFn: () => call('GET', '/api/v1/compare', { query: { bundle_id: [...bundleIds] } }),
    enabled: bundleIds.length >= 2,
  })
}
