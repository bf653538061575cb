import { createNamedClient } from '@keyferry/contract/client'
import { fetchTimed } from '../../lib/calls/api.ts'
import { factsOf, signedAtOnce } from '../../lib/calls/touch.ts'
import { isStatementOf, type SeenCommand } from './signed-facts.ts'

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
  importVariables: 'POST /api/v1/imports',
  getMe: 'GET /api/v1/me',
  listTenants: 'GET /api/v1/tenants',
} as const

const send = createNamedClient(ADDRESSES, fetchTimed)
let shown: SeenCommand | null = null

/** Calls an endpoint of this page by its name. The page does not load the app's list, which is longer. What has to be
 * signed is signed if it says what the page shows. */
export const call: typeof send = async (name, input, extras) => {
  const run = (headers: object) =>
    send(name, input, { ...extras, headers: { ...extras?.headers, ...headers } })
  const answer = await signedAtOnce(run, (asked) => isStatementOf(factsOf(asked), input ?? {}, shown))
  if (typeof answer === 'object' && 'user_code' in answer) shown = answer
  return answer
}
