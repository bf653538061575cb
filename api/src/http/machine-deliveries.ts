import { waitForChange } from '../domain/collection/changed-values.ts'
import { deliverToMachine } from '../domain/collection/machine-delivery.ts'
import type { MachineCaller } from '../domain/machines/machine-caller.ts'
import { tokenDue } from '../domain/machines/machine-token.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

/** What a machine calls for itself. */
export function machineDeliveryHandlers({
  stores,
  clock,
  requestParts,
  takeDelivery,
  takeWatch,
}: HandlerParts) {
  const { maxPayloadBytes } = requestParts
  return {
    async createDelivery({ caller, body }) {
      await takeDelivery(caller.machine.id)
      return deliverToMachine({ stores, clock, maxPayloadBytes }, caller, body)
    },
    async waitForChange(call) {
      const { caller, params } = call
      await takeWatch(caller.machine.id)
      const held = {
        deliveryId: params.delivery_id,
        onBreak: (listener: () => void) => call.onBreak(listener),
      }
      const changed = await waitForChange(requestParts, caller, held)
      return { delivery_id: params.delivery_id, changed }
    },
    async getOwnMachine({ caller: { tenantId, workspace, machine, readsAudit, proof } }) {
      const grants = await stores.machineCallers.grants(tenantId, machine.id)
      const token = proof.kind === 'token' ? tokenOf(proof, clock.now()) : null
      return { ...machine, workspace, audit: readsAudit, grants, token }
    },
  } satisfies Partial<Handlers>
}

function tokenOf(token: Extract<MachineCaller['proof'], { kind: 'token' }>, now: Date) {
  const { id, hint, expires_at } = token
  return { id, hint, expires_at, due: tokenDue(token, now) }
}
