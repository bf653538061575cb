import { DELETE, GET, POST, PUT } from '../endpoint.ts'
import { LIMITS } from '../limits.ts'
import * as deposit from '../schemas/deposit.ts'
import { ApproveNames, NamesOffer, NamesQuery } from '../schemas/names.ts'
import * as creation from '../schemas/new-request.ts'
import { ProposalList } from '../schemas/proposal.ts'
import * as release from '../schemas/release.ts'
import * as request from '../schemas/request.ts'
import * as approval from '../schemas/request-approval.ts'
import { DenyQuery } from '../schemas/request-refusal.ts'
import * as wait from '../schemas/request-wait.ts'

/** Approval requests: a client asks, a person decides, the client collects. The kinds: values, values that a terminal
 * stores, which owners decide where their sender may not, and names. */
export const requestEndpoints = {
  createRequest: POST('/api/v1/requests', 'public', {
    summary:
      'Ask for approval: a client hands in its public key and requests values, requests names (`kind: "names"`) or stores values (`kind: "deposit"`); at most 32 KiB without a deposit',
    body: creation.CreateRequest,
    maxBodyBytes: LIMITS.requestBodyBytes,
    longBody: { field: 'deposit', maxBytes: LIMITS.depositBodyBytes },
    created: creation.CreatedRequest,
    errors: [429],
  }),
  waitForApproval: GET('/api/v1/requests/{request_id}/wait', 'public', {
    summary: 'Hold until the request is approved; hands the ciphertext over once',
    query: wait.WaitQuery,
    headers: wait.VerifierHeaders,
    answer: wait.WaitResult,
    errors: [404, 429],
  }),
  getRequestContext: GET('/api/v1/requests/{request_id}/context', 'public', {
    summary: 'Who asks for what, for the approval page',
    answer: request.RequestContext,
    errors: [404],
  }),
  listCandidates: GET('/api/v1/requests/{request_id}/candidates', 'session', {
    summary:
      "Bundles of all the caller's workspaces that match the bundle (id or name) that the request names",
    answer: approval.CandidateList,
  }),
  listRequestBundles: GET('/api/v1/requests/{request_id}/bundles', 'member', {
    summary: 'Bundles that the approver can choose from',
    answer: approval.RequestBundleList,
  }),
  getRequestBundle: GET('/api/v1/requests/{request_id}/bundles/{bundle_id}', 'member', {
    summary: 'A bundle with its entries masked, for the approver',
    query: approval.RequestBundleQuery,
    answer: approval.RequestBundle,
  }),
  encryptFromBundle: POST('/api/v1/requests/{request_id}/encrypt-from-bundle', 'member', {
    touch: { by: 'approval', lasts: 'never' },
    summary: 'Approve: seal the chosen values to the client',
    body: approval.EncryptFromBundle,
    answer: release.Approved,
  }),
  vouchForRequest: POST('/api/v1/requests/{request_id}/vouch', 'member', {
    touch: 'gives_nothing',
    summary:
      'Say that the request is of your own terminal, where only others may approve; returns to the terminal as an approval does',
    body: approval.VouchRequest,
    answer: approval.Vouched,
    errors: [409, 429],
  }),
  denyRequest: DELETE('/api/v1/requests/{request_id}', 'member', {
    touch: 'takes_away',
    summary: 'Deny the request; with a reason, the client can say why no one can approve it',
    query: DenyQuery,
    errors: [409],
  }),
  withdrawRequest: POST('/api/v1/requests/{request_id}/withdraw', 'public', {
    summary:
      'Withdraw a request, or leave it open: for the client, which holds the verifier of its challenge (X-Poll-Verifier)',
    query: wait.WithdrawQuery,
    headers: wait.VerifierHeaders,
    answer: wait.Withdrawn,
    errors: [404, 409],
  }),
  storePayload: PUT('/api/v1/requests/{request_id}/payload', 'dev', {
    summary: 'Store a ciphertext as given (development only)',
    body: approval.StorePayload,
    errors: [404, 409],
  }),
  releaseRequest: POST('/api/v1/requests/{request_id}/release', 'public', {
    summary:
      'Return an approval to the terminal: for the client, which holds the verifier of its challenge (X-Poll-Verifier)',
    headers: wait.VerifierHeaders,
    body: release.ReleaseRequest,
    maxBodyBytes: 4_096,
    errors: [404, 409, 429],
  }),
  createReleaseCode: POST('/api/v1/requests/{request_id}/release-code', 'member', {
    touch: { by: 'approval', lasts: 'never' },
    summary: 'A fresh code for an approval that did not reach the terminal: for the person who approved',
    answer: release.FreshCode,
  }),
  getDepositKey: GET('/api/v1/deposit-key', 'public', {
    summary: 'The key that clients seal deposits to',
    answer: deposit.DepositKey,
  }),
  planDeposit: POST('/api/v1/requests/{request_id}/deposit-plan', 'member', {
    touch: 'gives_nothing',
    summary: 'What an approval of a deposit would do in the workspace of the call; changes nothing',
    body: deposit.PlanDeposit,
    bodyOptional: true,
    answer: deposit.DepositPlan,
    errors: [409],
  }),
  approveDeposit: POST('/api/v1/requests/{request_id}/deposit', 'member', {
    touch: { by: 'approval', lasts: 'never' },
    summary: 'Approve a deposit: store its values as the plan says, all or nothing',
    body: deposit.ApproveDeposit,
    answer: deposit.ApprovedDeposit,
  }),
  listProposals: GET('/api/v1/proposals', 'member', {
    summary: "Proposals of the last days: the caller's own; owners see all",
    answer: ProposalList,
  }),
  planProposal: POST('/api/v1/proposals/{proposal_id}/plan', 'owner', {
    touch: 'gives_nothing',
    summary: 'What storing a proposal would do now; changes nothing',
    body: deposit.PlanProposal,
    bodyOptional: true,
    answer: deposit.ProposalPlan,
    errors: [409],
  }),
  acceptProposal: POST('/api/v1/proposals/{proposal_id}/accept', 'owner', {
    touch: { by: 'body', lasts: 'effect' },
    summary: 'Store a proposal as the plan says, all or nothing',
    body: deposit.AcceptProposal,
  }),
  endProposal: DELETE('/api/v1/proposals/{proposal_id}', 'member', {
    touch: 'takes_away',
    summary: "Decline a proposal (owner), or withdraw the caller's own",
  }),
  previewNames: GET('/api/v1/requests/{request_id}/names', 'member', {
    summary: 'What an approval of a request for names lets the terminal read; no value',
    query: NamesQuery,
    answer: NamesOffer,
    errors: [409],
  }),
  approveNames: POST('/api/v1/requests/{request_id}/names', 'member', {
    touch: 'gives_nothing',
    summary: 'Approve a request for names: seal the list to the client',
    body: ApproveNames,
    answer: release.Approved,
    errors: [409],
  }),
  listWaiting: GET('/api/v1/waiting', 'member', {
    summary: "What waits for the caller's decision in this workspace, the newest first",
    answer: wait.WaitingList,
  }),
}
