type ErrorRow = {
  status: number
  /** How a request for approval ended that answers so. A 409 without this and without `isOpen`: it was approved. */
  ends?: 'denied' | 'withdrawn' | 'expired' | 'later' | 'other_person'
  /** The request is open still: the person can choose other keys, or look at the changed plan. */
  isOpen?: true
  /** What a page says instead of the error's own message. */
  text?: string
}

const rows = <const Rows extends Record<string, ErrorRow>>(table: Rows): Record<keyof Rows, ErrorRow> => table

/** The only table of errors: every `code` that an error body can carry, and what follows from it. A code never changes
 * its meaning; new ones may be added. */
export const ERRORS = rows({
  invalid: { status: 400 },
  unauthorized: { status: 401, text: 'You are signed out. Sign in, then try again.' },
  session_ended: { status: 401 },
  forbidden: { status: 403 },
  account_locked: { status: 403 },
  sign_up_closed: { status: 403 },
  email_unverified: { status: 403 },
  password_change_required: { status: 403 },
  passkey_required: { status: 403 },
  release_required: { status: 403 },
  owner_approves: { status: 403 },
  named_approves: { status: 403 },
  agents_denied: { status: 403 },
  second_person: { status: 403 },
  touch_required: { status: 403 },
  touch_refused: { status: 403 },
  sign_in_again: { status: 403 },
  not_found: { status: 404 },
  request_denied: { status: 404, ends: 'denied' },
  request_withdrawn: { status: 404, ends: 'withdrawn' },
  request_later: { status: 404, ends: 'later' },
  request_expired: { status: 404, ends: 'expired' },
  release_wrong: { status: 400 },
  release_expired: { status: 409 },
  conflict: { status: 409 },
  other_person: {
    status: 409,
    ends: 'other_person',
    text: 'Another person is signed in. Load the page again.',
  },
  changed: { status: 409, isOpen: true },
  version_conflict: { status: 409, text: 'Another person changed the value. The page now shows it.' },
  version_destroyed: { status: 409 },
  name_taken: { status: 409, isOpen: true },
  plan_changed: { status: 409, isOpen: true },
  deposit_damaged: { status: 400 },
  bundle_full: { status: 409, isOpen: true },
  workspace_full: { status: 409, isOpen: true },
  too_many_workspaces: { status: 409 },
  token_expired: { status: 401 },
  token_ended: { status: 401 },
  tokens_off: { status: 403 },
  machine_inactive: { status: 403 },
  network_refused: { status: 403 },
  not_granted: { status: 403 },
  target_refused: { status: 400 },
  identity_not_trusted: { status: 403 },
  token_not_bound: { status: 403 },
  trust_ended: { status: 403 },
  trust_too_broad: { status: 400 },
  issuer_unavailable: { status: 503 },
  too_large: { status: 413, text: 'That is more than the server accepts at once.' },
  too_many: { status: 429 },
  internal: {
    status: 500,
    text: 'The server made a mistake. Try again; if it stays, look at the server’s log.',
  },
  unavailable: { status: 503, text: 'The server cannot reach its storage. Try again in a moment.' },
})

export type ErrorCode = keyof typeof ERRORS

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code)

/** What follows from the code of an answer; null: a newer server knows it. */
export const errorRow = (code: string): ErrorRow | null => (isErrorCode(code) ? ERRORS[code] : null)

export const ERROR_CODES = Object.keys(ERRORS).filter(isErrorCode)
