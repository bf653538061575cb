import { useAnswer } from '../calls/use-answer.ts'

/** What the list of machines is asked for, so that every page shares one answer. */
export const ALL_MACHINES = { limit: 1_000 }

/** The machines of the workspace, by name. */
export const useMachines = () => useAnswer('listMachines', ALL_MACHINES)
