import type { Answer } from '@keyferry/contract/client'
import type { z } from 'zod'
import type { Endpoints } from '../calls/answers.ts'
import { useAnswer } from '../calls/use-call.ts'
import { ALL } from '../data/lists.ts'

export type Machine = Answer<Endpoints['getMachine']>
export type MachineGrant = Machine['grants'][number]
export type MachineToken = Machine['tokens'][number]
export type MachineTrust = Machine['trusts'][number]
export type MachineAttempt = Answer<Endpoints['listMachineAttempts']>[number]
export type CreatedToken = Answer<Endpoints['createMachineToken']>
export type NewTrust = z.input<Endpoints['createMachineTrust']['body']>

/** The machines of the workspace, by name. */
export const useMachines = () => useAnswer('listMachines', ALL)
