import { useAnswer } from '../calls/use-call.ts'

/** What a whole list is asked for, so that every page shares one answer. */
export const ALL = { limit: 1_000 }

/** Remembered approvals of the workspace: a member's own, an owner's all. */
export const useGrants = () => useAnswer('listGrants', ALL)

/** The machines of the workspace, by name. */
export const useMachines = () => useAnswer('listMachines', ALL)
