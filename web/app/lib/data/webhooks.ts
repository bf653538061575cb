import { useAnswer } from '../calls/use-answer.ts'

/** What the list of webhooks is asked for, so that every page shares one answer. */
export const ALL_WEBHOOKS = { limit: 1_000 }

/** The webhooks of the workspace, the oldest first; for owners. */
export const useWebhooks = (enabled = true) => useAnswer('listWebhooks', ALL_WEBHOOKS, { enabled })
