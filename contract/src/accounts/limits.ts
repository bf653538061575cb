const MINUTE = 60

export const ACCOUNT_LIMITS = {
  setupCodeMinLength: 16,
  setupCodeLength: 128,
  passwordMinLength: 12,
  passwordMaxLength: 1_024,
  /** Passkeys of one account. */
  passkeys: 20,
  /** Failed sign-ins that lock an account. */
  failedLogins: 5,
} as const

/** In seconds. */
export const ACCOUNT_TIMES = {
  accountLockSeconds: 15 * MINUTE,
  /** A challenge for a passkey. */
  passkeyChallengeSeconds: 5 * MINUTE,
  /** Failed sign-ins are forgotten this long after the last one. */
  attemptMemorySeconds: 24 * 60 * MINUTE,
} as const

export const ACCOUNT_RATES = {
  /** Sign-ins of one address with one e-mail. */
  login: { calls: 5, windowSeconds: 15 * MINUTE },
  /** Sign-ins of one address with any e-mail: an office behind one address can sign in. */
  loginOfAddress: { calls: 50, windowSeconds: 15 * MINUTE },
  /** Sign-ins with a passkey of one address. */
  passkeyLogin: { calls: 50, windowSeconds: 15 * MINUTE },
  setup: { calls: 3, windowSeconds: 60 * MINUTE },
} as const
