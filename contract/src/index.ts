export { AUDIT_ACTIONS, type AuditAction, ORIGIN_OWNERS } from './audit-actions.ts'
export {
  type Access,
  AUTH_MODES,
  type AuthMode,
  type Endpoint,
  failureStatuses,
  type Method,
  type PathParams,
  paramsOf,
  type Signed,
} from './endpoint.ts'
export {
  type ApiEndpointName,
  apiEndpoints,
  type EndpointName,
  endpoints,
  type ModuleEndpointName,
  type WebEndpointName,
  webEndpoints,
} from './endpoints.ts'
export { ERROR_CODES, ERRORS, type ErrorCode, isErrorCode } from './error-codes.ts'
export { isIdText } from './id-text.ts'
export { ATTEMPTS, LIMITS, MASK, RATES, spanText, TIMES } from './limits.ts'
export { isProduction, type Production } from './production.ts'
export * from './schemas/attachment.ts'
export * from './schemas/audit.ts'
export * from './schemas/bundle.ts'
export * from './schemas/comparison.ts'
export * from './schemas/delivery.ts'
export * from './schemas/deposit.ts'
export * from './schemas/grant.ts'
export * from './schemas/health.ts'
export * from './schemas/import.ts'
export * from './schemas/key.ts'
export * from './schemas/key-version.ts'
export * from './schemas/legacy-item.ts'
export * from './schemas/library-move.ts'
export * from './schemas/member.ts'
export * from './schemas/names.ts'
export * from './schemas/new-request.ts'
export * from './schemas/policy.ts'
export * from './schemas/proposal.ts'
export * from './schemas/receipt.ts'
export * from './schemas/release.ts'
export * from './schemas/request.ts'
export * from './schemas/request-approval.ts'
export * from './schemas/request-claims.ts'
export * from './schemas/request-refusal.ts'
export * from './schemas/request-wait.ts'
export { PERSON_HEADER, SessionList, SessionState, SignedOut } from './schemas/session.ts'
export * from './schemas/tenant.ts'
export * from './schemas/text.ts'
export * from './schemas/user.ts'
export { areSiblings } from './siblings.ts'
