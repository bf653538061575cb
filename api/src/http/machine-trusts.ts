import { DomainError } from '../domain/base/errors.ts'
import { findMachine } from '../domain/machines/machine.ts'
import {
  allowAttempt,
  createTrust,
  dismissAttempt,
  endTrust,
  listAttempts,
} from '../domain/machines/machine-trust.ts'
import type { Caller } from '../domain/people/membership.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentTrust } from './machines.ts'

export function machineTrustHandlers({ stores, clock, targets, machineAudience }: HandlerParts) {
  const { machines, machineTrusts } = stores
  const parts = { machineTrusts, clock, targets, audience: machineAudience }
  const created = async (caller: Caller, machineId: string, trustId: string) => {
    const { trusts } = await findMachine(machines, caller, machineId)
    const trust = trusts.find(({ id }) => id === trustId)
    if (!trust) throw new DomainError('not_found', 'the machine has no such trust')
    return presentTrust(trust)
  }
  return {
    createMachineTrust: async ({ caller, params: { machine_id: machineId }, body: draft }) =>
      created(caller, machineId, await createTrust(parts, caller, { machineId, draft })),
    endMachineTrust: ({ caller, params }) =>
      endTrust(parts, caller, { machineId: params.machine_id, trustId: params.trust_id }),
    async listMachineAttempts({ caller, params }) {
      const attempts = await listAttempts(parts, caller, params.machine_id)
      return attempts.map(({ isBound, ...attempt }) => ({ ...attempt, is_bound: isBound }))
    },
    async allowMachineAttempt({ caller, params, body: { claims: names, broad } }) {
      const { machine_id: machineId, fingerprint } = params
      const trustId = await allowAttempt(parts, caller, { machineId, fingerprint, names, broad })
      return created(caller, machineId, trustId)
    },
    dismissMachineAttempt: ({ caller, params: { machine_id: machineId, fingerprint } }) =>
      dismissAttempt(parts, caller, { machineId, fingerprint }),
  } satisfies Partial<Handlers>
}
