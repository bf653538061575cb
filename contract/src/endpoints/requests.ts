import { DELETE, type Endpoint, GET, POST, PUT } from '../endpoint.ts'
import { LIMITS } from '../limits.ts'
import * as creation from '../schemas/new-request.ts'
import * as release from '../schemas/release.ts'
import * as request from '../schemas/request.ts'
import * as approval from '../schemas/request-approval.ts'
import { DenyQuery } from '../schemas/request-refusal.ts'
import * as wait from '../schemas/request-wait.ts'
import { Ok } from '../schemas/text.ts'

/** Approval requests: a client asks, a person decides, the client collects. */
export const requestEndpoints = {
  createRequest: POST('/api/v1/requests', 'public', {
    summary:
      'Ask for approval: a client hands in its public key and requests values, requests names (`kind: "names"`) or stores values (`kind: "deposit"`); at most 32 KiB without a deposit',
    body: creation.CreateRequest,
    maxBodyBytes: LIMITS.requestBodyBytes,
    longBody: { field: 'deposit', maxBytes: LIMITS.depositBodyBytes },
    responses: { 201: creation.CreatedRequest },
    errors: [400, 413, 429],
  }),
  waitForApproval: GET('/api/v1/requests/{request_id}/wait', 'public', {
    summary: 'Hold until the request is approved; hands the ciphertext over once',
    query: wait.WaitQuery,
    headers: wait.VerifierHeaders,
    responses: { 200: wait.WaitResult },
    errors: [400, 404, 429],
  }),
  getRequestContext: GET('/api/v1/requests/{request_id}/context', 'public', {
    summary: 'Who asks for what, for the approval page',
    responses: { 200: request.RequestContext },
    errors: [404],
  }),
  listCandidates: GET('/api/v1/requests/{request_id}/candidates', 'session', {
    summary:
      "Bundles of all the caller's workspaces that match the bundle (id or name) that the request names",
    responses: { 200: approval.CandidateList },
    errors: [404],
  }),
  listCompanions: GET('/api/v1/requests/{request_id}/companions', 'session', {
    summary:
      'Pending requests that the same terminal made in the same folder within seconds: the key of the terminal signed each',
    responses: { 200: request.CompanionList },
    errors: [404],
  }),
  listRequestBundles: GET('/api/v1/requests/{request_id}/bundles', 'member', {
    summary: 'Bundles that the approver can choose from',
    responses: { 200: approval.RequestBundleList },
    errors: [404],
  }),
  getRequestBundle: GET('/api/v1/requests/{request_id}/bundles/{bundle_id}', 'member', {
    summary: 'A bundle with its entries masked, for the approver',
    query: approval.RequestBundleQuery,
    responses: { 200: approval.RequestBundle },
    errors: [404],
  }),
  encryptFromBundle: POST('/api/v1/requests/{request_id}/encrypt-from-bundle', 'member', {
    summary: 'Approve: seal the chosen values to the client',
    body: approval.EncryptFromBundle,
    responses: { 200: release.Approved },
    errors: [400, 403, 404, 409, 413],
  }),
  vouchForRequest: POST('/api/v1/requests/{request_id}/vouch', 'member', {
    summary:
      'Say that the request is of your own terminal, where only others may approve; returns to the terminal as an approval does',
    body: approval.VouchRequest,
    responses: { 200: approval.Vouched },
    errors: [400, 403, 404, 409, 429],
  }),
  denyRequest: DELETE('/api/v1/requests/{request_id}', 'member', {
    summary: 'Deny the request; with a reason, the client can say why no one can approve it',
    query: DenyQuery,
    responses: { 200: Ok },
    errors: [400, 403, 404, 409],
  }),
  withdrawRequest: POST('/api/v1/requests/{request_id}/withdraw', 'public', {
    summary:
      'Withdraw a request: for the client, which holds the verifier of its challenge (X-Poll-Verifier)',
    headers: wait.VerifierHeaders,
    responses: { 200: Ok },
    errors: [404, 409],
  }),
  storePayload: PUT('/api/v1/requests/{request_id}/payload', 'dev', {
    summary: 'Store a ciphertext as given (development only)',
    body: approval.StorePayload,
    responses: { 200: Ok },
    errors: [400, 404, 409, 413],
  }),
  releaseRequest: POST('/api/v1/requests/{request_id}/release', 'public', {
    summary:
      'Return an approval to the terminal: for the client, which holds the verifier of its challenge (X-Poll-Verifier)',
    headers: wait.VerifierHeaders,
    body: release.ReleaseRequest,
    maxBodyBytes: 4_096,
    responses: { 200: Ok },
    errors: [400, 404, 409, 429],
  }),
  createReleaseCode: POST('/api/v1/requests/{request_id}/release-code', 'member', {
    summary: 'A fresh code for an approval that did not reach the terminal: for the person who approved',
    responses: { 200: release.FreshCode },
    errors: [403, 404, 409],
  }),
} as const satisfies Record<string, Endpoint>
