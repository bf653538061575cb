import { z } from 'zod'
import { auditEndpoints } from './audit-endpoints.ts'
import { consentEndpoints } from './consent-endpoints.ts'
import type { Endpoint } from './endpoint.ts'
import { LIMITS } from './limits.ts'
import { memoryEndpoints } from './memory-endpoints.ts'
import * as attachment from './schemas/attachment.ts'
import * as bundle from './schemas/bundle.ts'
import * as comparison from './schemas/comparison.ts'
import { Health, Readiness } from './schemas/health.ts'
import { ImportPlan, ImportVariables } from './schemas/import.ts'
import * as invitation from './schemas/invitation.ts'
import * as key from './schemas/key.ts'
import * as batch from './schemas/key-batch.ts'
import * as legacy from './schemas/legacy-item.ts'
import * as member from './schemas/member.ts'
import { Approved } from './schemas/release.ts'
import * as request from './schemas/request.ts'
import * as approval from './schemas/request-approval.ts'
import * as tenant from './schemas/tenant.ts'
import { Ok, OkMessage } from './schemas/text.ts'
import * as user from './schemas/user.ts'
import { webEndpoints } from './web-endpoints.ts'

/** Members change what they created; owners change everything. */
const CREATOR = ' (owner, or the member who created it)'

const requests = {
  createRequest: {
    method: 'POST',
    path: '/api/v1/requests',
    access: 'public',
    summary: 'Ask for approval: a client hands in its public key',
    body: request.CreateRequest,
    maxBodyBytes: LIMITS.requestBodyBytes,
    responses: { 201: request.CreatedRequest },
    errors: [400, 413, 429],
  },
  waitForApproval: {
    method: 'GET',
    path: '/api/v1/requests/{request_id}/wait',
    access: 'public',
    summary: 'Hold until the request is approved; hands the ciphertext over once',
    params: request.RequestParams,
    query: request.WaitQuery,
    headers: request.VerifierHeaders,
    responses: { 200: request.WaitResult },
    errors: [400, 404, 429],
  },
  getRequestContext: {
    method: 'GET',
    path: '/api/v1/requests/{request_id}/context',
    access: 'public',
    summary: 'Who asks for what, for the approval page',
    params: request.RequestParams,
    responses: { 200: request.RequestContext },
    errors: [404],
  },
  listCandidates: {
    method: 'GET',
    path: '/api/v1/requests/{request_id}/candidates',
    access: 'session',
    summary:
      "Bundles of all the caller's workspaces that match the bundle (id or name) that the request names",
    params: request.RequestParams,
    responses: { 200: approval.CandidateList },
    errors: [404],
  },
  listRequestBundles: {
    method: 'GET',
    path: '/api/v1/requests/{request_id}/bundles',
    access: 'member',
    summary: 'Bundles that the approver can choose from',
    params: request.RequestParams,
    responses: { 200: approval.RequestBundleList },
    errors: [404],
  },
  getRequestBundle: {
    method: 'GET',
    path: '/api/v1/requests/{request_id}/bundles/{bundle_id}',
    access: 'member',
    summary: 'A bundle with its entries masked, for the approver',
    params: request.RequestBundleParams,
    responses: { 200: approval.RequestBundle },
    errors: [404],
  },
  encryptFromBundle: {
    method: 'POST',
    path: '/api/v1/requests/{request_id}/encrypt-from-bundle',
    access: 'member',
    summary: 'Approve: seal the chosen values to the client',
    params: request.RequestParams,
    body: approval.EncryptFromBundle,
    responses: { 200: Approved },
    errors: [400, 403, 404, 409, 413],
  },
  denyRequest: {
    method: 'DELETE',
    path: '/api/v1/requests/{request_id}',
    access: 'member',
    summary: 'Deny the request',
    params: request.RequestParams,
    responses: { 200: Ok },
    errors: [404, 409],
  },
  withdrawRequest: {
    method: 'POST',
    path: '/api/v1/requests/{request_id}/withdraw',
    access: 'public',
    summary:
      'Withdraw a request: for the client, which holds the verifier of its challenge (X-Poll-Verifier)',
    params: request.RequestParams,
    headers: request.VerifierHeaders,
    responses: { 200: Ok },
    errors: [404],
  },
  storePayload: {
    method: 'PUT',
    path: '/api/v1/requests/{request_id}/payload',
    access: 'dev',
    summary: 'Store a ciphertext as given (development only)',
    params: request.RequestParams,
    body: approval.StorePayload,
    responses: { 200: Ok },
    errors: [400, 404, 409, 413],
  },
} as const satisfies Record<string, Endpoint>

const bundles = {
  createBundle: {
    method: 'POST',
    path: '/api/v1/bundles',
    access: 'member',
    summary: 'Create a bundle',
    body: bundle.CreateBundle,
    responses: { 201: bundle.Bundle },
    errors: [400, 409],
  },
  listBundles: {
    method: 'GET',
    path: '/api/v1/bundles',
    access: 'member',
    summary: 'List bundles by name',
    query: bundle.ListBundlesQuery,
    responses: { 200: bundle.BundleList },
    errors: [400],
  },
  getBundle: {
    method: 'GET',
    path: '/api/v1/bundles/{bundle_id}',
    access: 'member',
    summary: 'A bundle with its entries; secret values masked',
    params: bundle.BundleParams,
    responses: { 200: bundle.BundleWithItems },
    errors: [404],
  },
  updateBundle: {
    method: 'PUT',
    path: '/api/v1/bundles/{bundle_id}',
    access: 'member',
    summary: `Change a bundle's name, description or tags${CREATOR}`,
    params: bundle.BundleParams,
    body: bundle.UpdateBundle,
    responses: { 200: bundle.Bundle },
    errors: [400, 404, 409],
  },
  duplicateBundle: {
    method: 'POST',
    path: '/api/v1/bundles/{bundle_id}/duplicate',
    access: 'member',
    summary:
      'Create a bundle with the keys, description and tags of another; owners choose the keys that it gets as copies',
    params: bundle.BundleParams,
    body: bundle.DuplicateBundle,
    responses: { 201: bundle.Bundle },
    errors: [400, 404, 409],
  },
  deleteBundle: {
    method: 'DELETE',
    path: '/api/v1/bundles/{bundle_id}',
    access: 'owner',
    summary: 'Delete a bundle; its keys stay in the library',
    params: bundle.BundleParams,
    responses: { 200: OkMessage },
    errors: [404],
  },
  compareBundles: {
    method: 'GET',
    path: '/api/v1/compare',
    access: 'member',
    summary: 'Compare the names that bundles deliver, without their values',
    query: comparison.CompareQuery,
    responses: { 200: comparison.Comparison },
    errors: [400, 404],
  },
  exportBundle: {
    method: 'GET',
    path: '/api/v1/bundles/{bundle_id}/export',
    access: 'member',
    summary: 'Export as ENV text or JSON; secret values masked',
    params: bundle.BundleParams,
    query: bundle.ExportQuery,
    responses: { 200: z.union([bundle.ExportedEnv, bundle.ExportedJson]) },
    errors: [400, 404],
    text: 'text/plain',
  },
} as const satisfies Record<string, Endpoint>

const attachments = {
  listBundleKeys: {
    method: 'GET',
    path: '/api/v1/bundles/{bundle_id}/keys',
    access: 'member',
    summary: "List a bundle's attached keys in order",
    params: bundle.BundleParams,
    responses: { 200: attachment.AttachedKeyList },
    errors: [404],
  },
  listSharedKeys: {
    method: 'GET',
    path: '/api/v1/bundles/{bundle_id}/shared-keys',
    access: 'member',
    summary: "List a bundle's keys that other bundles use too",
    params: bundle.BundleParams,
    responses: { 200: attachment.SharedKeyList },
    errors: [404],
  },
  attachKey: {
    method: 'POST',
    path: '/api/v1/bundles/{bundle_id}/keys/{key_id}',
    access: 'member',
    summary: 'Attach a library key to a bundle (owner, or the member who created both)',
    params: attachment.AttachmentParams,
    body: attachment.AttachKey,
    bodyOptional: true,
    responses: { 201: OkMessage },
    errors: [400, 404, 409],
  },
  changeAttachment: {
    method: 'PUT',
    path: '/api/v1/bundles/{bundle_id}/keys/{key_id}',
    access: 'member',
    summary: `Change the name under which a bundle delivers a key, whether it is required, or use another key in its place${CREATOR}`,
    params: attachment.AttachmentParams,
    body: attachment.ChangeAttachment,
    responses: { 200: Ok },
    errors: [400, 404, 409],
  },
  splitKey: {
    method: 'POST',
    path: '/api/v1/bundles/{bundle_id}/keys/{key_id}/split',
    access: 'owner',
    summary: 'Replace a shared key in one bundle by a copy, with another value if one is given',
    params: attachment.AttachmentParams,
    body: attachment.SplitKey,
    bodyOptional: true,
    responses: { 201: key.Key },
    errors: [400, 404, 409],
  },
  detachKey: {
    method: 'DELETE',
    path: '/api/v1/bundles/{bundle_id}/keys/{key_id}',
    access: 'member',
    summary: `Detach a key; it stays in the library${CREATOR}`,
    params: attachment.AttachmentParams,
    responses: { 200: Ok },
    errors: [404],
  },
  reorderKey: {
    method: 'PUT',
    path: '/api/v1/bundles/{bundle_id}/keys/{key_id}/order',
    access: 'member',
    summary: `Move an attached key to a position${CREATOR}`,
    params: attachment.AttachmentParams,
    body: attachment.ReorderKey,
    responses: { 200: Ok },
    errors: [400, 404],
  },
} as const satisfies Record<string, Endpoint>

const imports = {
  importVariables: {
    method: 'POST',
    path: '/api/v1/imports',
    access: 'member',
    summary:
      'Import variables into a bundle, all or nothing, or show what that would do (owner; a member when it only creates)',
    body: ImportVariables,
    responses: { 200: ImportPlan },
    errors: [400, 409],
  },
} as const satisfies Record<string, Endpoint>

const legacyItems = {
  importItems: {
    method: 'POST',
    path: '/api/v1/bundles/{bundle_id}/import',
    access: 'owner',
    summary: 'Import ENV text or JSON as legacy items',
    params: bundle.BundleParams,
    body: legacy.ImportItems,
    responses: { 200: legacy.ImportedItems },
    errors: [400, 404, 413],
    deprecated: true,
  },
  upsertLegacyItem: {
    method: 'POST',
    path: '/api/v1/bundles/{bundle_id}/items',
    access: 'owner',
    summary: 'Create or replace a legacy item',
    params: bundle.BundleParams,
    body: legacy.UpsertLegacyItem,
    responses: { 200: legacy.LegacyItem },
    errors: [400, 404],
    deprecated: true,
  },
  convertLegacyItem: {
    method: 'POST',
    path: '/api/v1/bundles/{bundle_id}/items/{key_name}/convert',
    access: 'owner',
    summary: 'Put a library key in the place of a legacy item',
    params: legacy.LegacyItemParams,
    responses: { 201: key.Key },
    errors: [404, 409],
    deprecated: true,
  },
  deleteLegacyItem: {
    method: 'DELETE',
    path: '/api/v1/bundles/{bundle_id}/items/{key_name}',
    access: 'owner',
    summary: 'Delete a legacy item',
    params: legacy.LegacyItemParams,
    responses: { 200: Ok },
    errors: [404],
    deprecated: true,
  },
} as const satisfies Record<string, Endpoint>

const keys = {
  createKey: {
    method: 'POST',
    path: '/api/v1/keys',
    access: 'member',
    summary: 'Create a library key',
    body: key.CreateKey,
    responses: { 201: key.Key },
    errors: [400, 409],
  },
  listKeys: {
    method: 'GET',
    path: '/api/v1/keys',
    access: 'member',
    summary: 'List library keys by name; secret values masked',
    query: key.ListKeysQuery,
    responses: { 200: key.KeyList },
    errors: [400],
  },
  getKey: {
    method: 'GET',
    path: '/api/v1/keys/{key_id}',
    access: 'member',
    summary: 'A library key and the bundles that use it',
    params: key.KeyParams,
    query: key.GetKeyQuery,
    responses: { 200: key.KeyWithBundles },
    errors: [400, 404],
  },
  updateKey: {
    method: 'PUT',
    path: '/api/v1/keys/{key_id}',
    access: 'member',
    summary: `Change a library key, in every bundle that uses it${CREATOR}`,
    params: key.KeyParams,
    body: key.UpdateKey,
    responses: { 200: key.Key },
    errors: [400, 404, 409],
  },
  deleteKey: {
    method: 'DELETE',
    path: '/api/v1/keys/{key_id}',
    access: 'owner',
    summary: 'Delete a library key, from every bundle too',
    params: key.KeyParams,
    responses: { 200: Ok },
    errors: [404],
  },
  changeKeys: {
    method: 'POST',
    path: '/api/v1/keys/batch',
    access: 'member',
    summary:
      'Attach, detach or delete several keys, or declare them secret, all or nothing (owner; a member where each key alone would be allowed)',
    body: batch.ChangeKeys,
    responses: { 200: batch.ChangedKeys },
    errors: [400, 404, 409],
  },
  findKeyUses: {
    method: 'POST',
    path: '/api/v1/keys/uses',
    access: 'member',
    summary: 'The bundles that use any of several keys',
    body: batch.FindKeyUses,
    responses: { 200: batch.KeyUses },
    errors: [400],
  },
} as const satisfies Record<string, Endpoint>

const people = {
  ensureUser: {
    method: 'POST',
    path: '/api/v1/users/ensure',
    access: 'public',
    summary: 'Provision the user of an identity-provider id, once',
    body: user.EnsureUser,
    responses: { 200: user.EnsuredUser, 201: user.EnsuredUser },
    errors: [400, 403, 500],
    internal: true,
  },
  changeProvidedUser: {
    method: 'PUT',
    path: '/api/v1/users/{idp_user_id}',
    access: 'layer',
    summary: 'Take over what the identity provider says of a user: another e-mail, or gone',
    params: user.ProvidedUserParams,
    body: user.ChangeProvidedUser,
    responses: { 200: Ok },
    errors: [400, 401, 404],
    internal: true,
  },
  getSetup: {
    method: 'GET',
    path: '/api/v1/auth/setup',
    access: 'public',
    summary: 'Whether the first local account is still to be created',
    responses: { 200: user.Setup },
    internal: true,
  },
  setUpAccount: {
    method: 'POST',
    path: '/api/v1/auth/setup',
    access: 'public',
    summary: 'Create the first local account, once',
    body: user.SetUpAccount,
    responses: { 201: user.SignedIn },
    errors: [400, 403, 409, 429],
    internal: true,
  },
  logIn: {
    method: 'POST',
    path: '/api/v1/auth/login',
    access: 'public',
    summary: 'Check e-mail and password of a local account',
    body: user.LogIn,
    responses: { 200: user.SignedIn },
    errors: [400, 401, 403, 429],
    internal: true,
  },
  changePassword: {
    method: 'PUT',
    path: '/api/v1/auth/password',
    access: 'session',
    summary: 'Change the password of the own local account',
    body: user.ChangePassword,
    responses: { 200: Ok },
    errors: [400, 404],
    internal: true,
  },
  changeEmail: {
    method: 'PUT',
    path: '/api/v1/auth/email',
    access: 'session',
    summary: 'Change the e-mail address of the own local account',
    body: user.ChangeEmail,
    responses: { 200: Ok },
    errors: [400, 404, 409],
    internal: true,
  },
  joinWithAccount: {
    method: 'POST',
    path: '/api/v1/auth/join',
    access: 'public',
    summary: 'Create a local account by an invitation, and join',
    body: user.JoinWithAccount,
    responses: { 201: user.Joined },
    errors: [400, 404, 409],
    internal: true,
  },
  getMe: {
    method: 'GET',
    path: '/api/v1/me',
    access: 'member',
    summary: 'Who the caller is, and where',
    responses: { 200: user.Me },
  },
} as const satisfies Record<string, Endpoint>

const teams = {
  listTenants: {
    method: 'GET',
    path: '/api/v1/tenants',
    access: 'session',
    summary: "List the caller's tenants",
    responses: { 200: tenant.TenantList },
  },
  createTenant: {
    method: 'POST',
    path: '/api/v1/tenants',
    access: 'session',
    summary: 'Create a tenant; the caller becomes its owner',
    body: tenant.NameTenant,
    responses: { 201: tenant.Tenant },
    errors: [400],
  },
  renameTenant: {
    method: 'PUT',
    path: '/api/v1/tenants/{tenant_id}',
    access: 'session',
    summary: 'Rename a tenant that the caller owns',
    params: tenant.TenantParams,
    body: tenant.NameTenant,
    responses: { 200: tenant.Tenant },
    errors: [400, 403, 404],
  },
  switchTenant: {
    method: 'POST',
    path: '/api/v1/tenants/switch',
    access: 'session',
    summary: 'Choose the tenant to work in',
    body: tenant.SwitchTenant,
    responses: { 200: tenant.CurrentTenant },
    errors: [400],
  },
  listMembers: {
    method: 'GET',
    path: '/api/v1/members',
    access: 'member',
    summary: 'List the members of the current tenant',
    responses: { 200: member.MemberList },
  },
  changeMemberRole: {
    method: 'PUT',
    path: '/api/v1/members/{user_id}',
    access: 'owner',
    summary: "Change a member's role",
    params: member.MemberParams,
    body: member.ChangeRole,
    responses: { 200: Ok },
    errors: [400, 404, 409],
  },
  removeMember: {
    method: 'DELETE',
    path: '/api/v1/members/{user_id}',
    access: 'member',
    summary: 'Remove a member (owner), or leave the tenant (own user id)',
    params: member.MemberParams,
    responses: { 200: Ok },
    errors: [404, 409],
  },
  createInvitation: {
    method: 'POST',
    path: '/api/v1/invitations',
    access: 'owner',
    summary: 'Invite by e-mail; the token is shown once',
    body: invitation.CreateInvitation,
    responses: { 201: invitation.CreatedInvitation },
    errors: [400, 409],
  },
  listInvitations: {
    method: 'GET',
    path: '/api/v1/invitations',
    access: 'owner',
    summary: 'List open invitations',
    responses: { 200: invitation.InvitationList },
  },
  revokeInvitation: {
    method: 'DELETE',
    path: '/api/v1/invitations/{invitation_id}',
    access: 'owner',
    summary: 'Revoke an invitation',
    params: invitation.InvitationParams,
    responses: { 200: Ok },
    errors: [404],
  },
  previewInvitation: {
    method: 'POST',
    path: '/api/v1/invitations/preview',
    access: 'public',
    summary: 'What an invitation offers, by its token',
    body: invitation.AcceptInvitation,
    responses: { 200: invitation.InvitationPreview },
    errors: [404],
  },
  acceptInvitation: {
    method: 'POST',
    path: '/api/v1/invitations/accept',
    access: 'session',
    summary: 'Join a tenant by an invitation token',
    body: invitation.AcceptInvitation,
    responses: { 200: tenant.CurrentTenant },
    errors: [400, 404],
  },
} as const satisfies Record<string, Endpoint>

const service = {
  getHealth: {
    method: 'GET',
    path: '/healthz',
    access: 'public',
    summary: 'The process is alive',
    responses: { 200: Health },
    storeless: true,
    internal: true,
  },
  getReadiness: {
    method: 'GET',
    path: '/readyz',
    access: 'public',
    summary: 'The process can serve: its stores answer',
    responses: { 200: Readiness, 503: Readiness },
    internal: true,
  },
  getOpenApi: {
    method: 'GET',
    path: '/api/v1/openapi.json',
    access: 'public',
    summary: 'This interface as an OpenAPI 3.1 document',
    storeless: true,
    responses: {
      200: z
        .record(z.string(), z.unknown())
        .meta({ id: 'OpenApiDocument', examples: [{ openapi: '3.1.0' }] }),
    },
  },
} as const satisfies Record<string, Endpoint>

/** The rows that the internal API answers. */
export const apiEndpoints = {
  ...service,
  ...requests,
  ...consentEndpoints,
  ...bundles,
  ...attachments,
  ...imports,
  ...legacyItems,
  ...keys,
  ...memoryEndpoints,
  ...people,
  ...teams,
  ...auditEndpoints,
} as const

/** Every endpoint, once. */
export const endpoints = { ...apiEndpoints, ...webEndpoints } as const

export type EndpointName = keyof typeof endpoints
export type ApiEndpointName = keyof typeof apiEndpoints
export type WebEndpointName = keyof typeof webEndpoints
