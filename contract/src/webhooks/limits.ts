const MINUTE = 60

export const WEBHOOK_LIMITS = {
  /** Of one workspace. */
  webhooks: 20,
  /** Bundles that one webhook is limited to. */
  bundles: 200,
  urlLength: 2_000,
  /** Messages of one webhook that wait, and messages that its log keeps. */
  messages: 10_000,
  /** Changed keys that one message names. */
  keys: 100,
} as const

/** In seconds. */
export const WEBHOOK_TIMES = {
  /** How long the old secret of a webhook signs beside the new one. */
  overlapSeconds: 24 * 60 * MINUTE,
  /** One call to a receiver. */
  callSeconds: 15,
  /** How long a message is tried, and how long failing calls turn a webhook off. */
  triedSeconds: 5 * 24 * 60 * MINUTE,
  logSeconds: 30 * 24 * 60 * MINUTE,
} as const
