import { createNamedClient } from '@keyferry/contract/client'
import { fetchTimed } from '../../lib/calls/api.ts'

const ADDRESSES = {
  getRequestContext: 'GET /api/v1/requests/{request_id}/context',
  listCandidates: 'GET /api/v1/requests/{request_id}/candidates',
  listCompanions: 'GET /api/v1/requests/{request_id}/companions',
  listRequestBundles: 'GET /api/v1/requests/{request_id}/bundles',
  getRequestBundle: 'GET /api/v1/requests/{request_id}/bundles/{bundle_id}',
  encryptFromBundle: 'POST /api/v1/requests/{request_id}/encrypt-from-bundle',
  vouchForRequest: 'POST /api/v1/requests/{request_id}/vouch',
  planDeposit: 'POST /api/v1/requests/{request_id}/deposit-plan',
  approveDeposit: 'POST /api/v1/requests/{request_id}/deposit',
  previewNames: 'GET /api/v1/requests/{request_id}/names',
  approveNames: 'POST /api/v1/requests/{request_id}/names',
  denyRequest: 'DELETE /api/v1/requests/{request_id}',
  createReleaseCode: 'POST /api/v1/requests/{request_id}/release-code',
  getMe: 'GET /api/v1/me',
  listTenants: 'GET /api/v1/tenants',
} as const

/** Calls an endpoint of this page by its name. The page does not load the app's list, which is longer. */
export const call = createNamedClient(ADDRESSES, fetchTimed)
