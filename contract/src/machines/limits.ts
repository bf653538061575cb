const KIB = 1024
const MINUTE = 60

export const MACHINE_LIMITS = {
  /** Of one workspace. */
  machines: 200,
  /** Of one machine. */
  tokens: 10,
  grants: 200,
  trusts: 20,
  nameLength: 100,
  /** Networks that one token is bound to. */
  networks: 50,
  /** Lifetime of a token. */
  tokenDays: 366,
  defaultTokenDays: 90,
  /** Claims of a trust, and texts of a claim. */
  trustClaims: 20,
  claimValues: 10,
  /** Claims of a refused ID token that are shown. */
  shownClaims: 40,
  /** Keys that are pasted for an issuer. */
  issuerKeys: 20,
  /** Leaked tokens that one call reports, and the body of such a call. */
  reportedTokens: 100,
  reportBodyBytes: 512 * KIB,
} as const

/** In seconds. */
export const MACHINE_TIMES = {
  /** How long an old token works beside the one that replaces it: by default, and at most. */
  overlapSeconds: 24 * 60 * MINUTE,
  maxOverlapSeconds: 30 * 24 * 60 * MINUTE,
  /** How old an ID token may be: the bounds of what a trust can say. */
  minIdTokenAgeSeconds: MINUTE,
  maxIdTokenAgeSeconds: 24 * 60 * MINUTE,
} as const

export const MACHINE_RATES = {
  /** Deliveries of one machine, from any address. */
  delivery: { calls: 600, windowSeconds: MINUTE },
  /** Waits for changed values of one machine, from any address. */
  wait: { calls: 600, windowSeconds: MINUTE },
  /** Refused calls with a bearer token, of one address; allowed ones are not counted. */
  refusal: { calls: 30, windowSeconds: MINUTE },
} as const
