/** Every `code` an error body can carry. A code never changes its meaning; new ones may be added. */
export const ERROR_CODES = [
  'invalid',
  'unauthorized',
  'forbidden',
  'account_locked',
  'email_unverified',
  'password_change_required',
  'not_found',
  'request_denied',
  'request_withdrawn',
  'request_expired',
  'conflict',
  'version_conflict',
  'version_destroyed',
  'name_taken',
  'plan_changed',
  'bundle_full',
  'workspace_full',
  'too_large',
  'too_many',
  'internal',
  'unavailable',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]
