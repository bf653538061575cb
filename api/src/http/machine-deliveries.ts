import { deliverToMachine } from '../domain/machine-delivery.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type MachineDeliveryHandlers = Pick<Handlers, 'createDelivery' | 'getOwnMachine'>

/** What a machine calls for itself. */
export function machineDeliveryHandlers({
  stores,
  clock,
  requestParts: { maxPayloadBytes },
  takeDelivery,
}: HandlerParts): MachineDeliveryHandlers {
  return {
    async createDelivery({ caller, body }) {
      await takeDelivery(caller.machine.id)
      return { status: 200, body: await deliverToMachine({ stores, clock, maxPayloadBytes }, caller, body) }
    },
    async getOwnMachine({ caller: { tenantId, workspace, machine, readsAudit, proof } }) {
      const grants = await stores.machineCallers.grants(tenantId, machine.id)
      const token = proof.kind === 'token' ? tokenOf(proof) : null
      return { status: 200, body: { ...machine, workspace, audit: readsAudit, grants, token } }
    },
  }
}

function tokenOf({ id, hint, expires_at }: { id: string; hint: string; expires_at: string }) {
  return { id, hint, expires_at }
}
