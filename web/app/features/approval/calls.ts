import { createNamedClient } from '@keyferry/contract/client'
import { fetchTimed } from '../../lib/calls/api.ts'
import { factsOf, signedAtOnce } from '../../lib/calls/touch.ts'
import { isStatementOf, type SeenCommand } from './signed-facts.ts'

const CALLED = {
  getRequestContext: ADDRESSES.getRequestContext,
  listCandidates: ADDRESSES.listCandidates,
  listRequestBundles: ADDRESSES.listRequestBundles,
  getRequestBundle: ADDRESSES.getRequestBundle,
  encryptFromBundle: ADDRESSES.encryptFromBundle,
  vouchForRequest: ADDRESSES.vouchForRequest,
  planDeposit: ADDRESSES.planDeposit,
  approveDeposit: ADDRESSES.approveDeposit,
  previewNames: ADDRESSES.previewNames,
  approveNames: ADDRESSES.approveNames,
  denyRequest: ADDRESSES.denyRequest,
  createReleaseCode: ADDRESSES.createReleaseCode,
  importVariables: ADDRESSES.importVariables,
  changeBundlePolicy: ADDRESSES.changeBundlePolicy,
  changeTenantPolicy: ADDRESSES.changeTenantPolicy,
  getMe: ADDRESSES.getMe,
  listTenants: ADDRESSES.listTenants,
}

const send = createNamedClient(CALLED, fetchTimed)
let shown: SeenCommand | null = null

/** Calls an endpoint of this page by its name. What has to be
 * signed is signed if it says what the page shows. */
export const call: typeof send = async (name, input, extras) => {
  const run = (headers: object) =>
    send(name, input, { ...extras, headers: { ...extras?.headers, ...headers } })
  const answer = await signedAtOnce(run, (asked) => isStatementOf(factsOf(asked), input, shown))
  if (typeof answer === 'object' && 'user_code' in answer) shown = answer
  return answer
}
