import { type Endpoint, GET, POST } from '../endpoint.ts'
import * as deposit from '../schemas/deposit.ts'

/** Values that a terminal stores, after a person approved them. */
export const depositEndpoints = {
  getDepositKey: GET('/api/v1/deposit-key', 'public', {
    summary: 'The key that clients seal deposits to',
    responses: { 200: deposit.DepositKey },
  }),
  planDeposit: POST('/api/v1/requests/{request_id}/deposit-plan', 'member', {
    summary: 'What an approval of a deposit would do in the workspace of the call; changes nothing',
    body: deposit.PlanDeposit,
    bodyOptional: true,
    responses: { 200: deposit.DepositPlan },
    errors: [400, 403, 404, 409],
  }),
  approveDeposit: POST('/api/v1/requests/{request_id}/deposit', 'member', {
    summary: 'Approve a deposit: store its values as the plan says, all or nothing',
    body: deposit.ApproveDeposit,
    responses: { 200: deposit.ApprovedDeposit },
    errors: [400, 403, 404, 409],
  }),
} as const satisfies Record<string, Endpoint>
