import { useAnswer } from '../calls/use-answer.ts'

/** What the list of grants is asked for, so that every page shares one answer. */
export const ALL_GRANTS = { limit: 1_000 }

/** Remembered approvals of the workspace: a member's own, an owner's all. */
export const useGrants = () => useAnswer('listGrants', ALL_GRANTS)

/** What the list of machines is asked for, so that every page shares one answer. */
export const ALL_MACHINES = { limit: 1_000 }

/** The machines of the workspace, by name. */
export const useMachines = () => useAnswer('listMachines', ALL_MACHINES)

/** What the list of webhooks is asked for, so that every page shares one answer. */
export const ALL_WEBHOOKS = { limit: 1_000 }

/** The webhooks of the workspace, the oldest first; for owners. */
export const useWebhooks = (enabled = true) => useAnswer('listWebhooks', ALL_WEBHOOKS, { enabled })
