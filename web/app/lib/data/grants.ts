import { useAnswer } from '../calls/use-answer.ts'

/** What the list of grants is asked for, so that every page shares one answer. */
export const ALL_GRANTS = { limit: 1_000 }

/** Remembered approvals of the workspace: a member's own, an owner's all. */
export const useGrants = () => useAnswer('listGrants', ALL_GRANTS)
