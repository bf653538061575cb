import { LIMITS } from '@keyferry/contract'
import { stricterForMachines } from '../domain/approvals/value-rules.ts'
import { wholePage } from '../domain/base/listing.ts'
import { stampOf } from '../domain/base/stamp.ts'
import { waitForChange } from '../domain/collection/changed-values.ts'
import { deliverToMachine } from '../domain/collection/machine-delivery.ts'
import { listMachineHoldings } from '../domain/deliveries/holder.ts'
import { createMachine, type Machine, type MachineToken, updateMachine } from '../domain/machines/machine.ts'
import type { MachineCaller } from '../domain/machines/machine-caller.ts'
import { createToken, reportTokens, rotateToken, tokenDue } from '../domain/machines/machine-token.ts'
import {
  allowAttempt,
  createTrust,
  dismissAttempt,
  listAttempts,
  trustNotFound,
} from '../domain/machines/machine-trust.ts'
import type { Caller } from '../domain/people/membership.ts'
import { presentHolding } from './deliveries.ts'
import { type Handlers, originOf } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { pageReply } from './list-reply.ts'

export function machineHandlers({ stores, clock, requestParts, ...program }: HandlerParts) {
  const { machines, holders } = stores
  const { targets, machineAudience: audience, tokensAllowed } = program
  const parts = { ...stores, clock, targets, audience, tokensAllowed }
  const present = (machine: Machine) => presentMachine(machine, clock.now())
  const created = async (caller: Caller, machineId: string, trustId: string) => {
    const { trusts } = await machines.find(caller.tenantId, machineId)
    const trust = trusts.find(({ id }) => id === trustId)
    if (!trust) throw trustNotFound()
    return trust
  }
  return {
    createMachine: async ({ caller, body }) => present(await createMachine(parts, caller, body)),
    listMachines: async ({ caller, query: page }) =>
      pageReply(await machines.list(caller.tenantId, wholePage(page, LIMITS.machines)), present),
    getMachine: async ({ caller, params }) =>
      present(await machines.find(caller.tenantId, params.machine_id)),
    updateMachine: async ({ caller, params: { machine_id: machineId }, body: change }) =>
      present(await updateMachine(parts, caller, { machineId, change })),
    deleteMachine: ({ caller, params }) => machines.delete(params.machine_id, stampOf(caller, clock)),
    listMachineHoldings: async ({ caller, params: { machine_id: machineId }, query: page }) =>
      pageReply(await listMachineHoldings(holders, caller, { machineId, page }), presentHolding),
    async grantBundle({ caller, params, body }) {
      const { machine_id: machineId, bundle_id: bundleId } = params
      await machines.grant({ machineId, bundleId, ...body }, stampOf(caller, clock))
      const place = { tenantId: caller.tenantId, bundleId }
      return { ok: true as const, stricter: await stricterForMachines(requestParts, place) }
    },
    revokeBundle: ({ caller, params: { machine_id: machineId, bundle_id: bundleId } }) =>
      machines.revoke({ machineId, bundleId }, stampOf(caller, clock)),
    createMachineToken: ({ caller, params, body: { expires_in_days: expiresInDays, networks } }) =>
      createToken(parts, caller, { machineId: params.machine_id, expiresInDays, networks }),
    rotateMachineToken: ({ caller, params, body: { overlap_seconds: overlapSeconds } }) =>
      rotateToken(parts, caller, { machineId: params.machine_id, tokenId: params.token_id, overlapSeconds }),
    endMachineToken: ({ caller, params: { machine_id: machineId, token_id: tokenId } }) =>
      stores.machineTokens.end({ machineId, tokenId }, stampOf(caller, clock)),
    async reportTokens({ body, peer }) {
      await reportTokens(parts, body, originOf(peer))
      return '' as const
    },
    createMachineTrust: async ({ caller, params: { machine_id: machineId }, body: draft }) =>
      created(caller, machineId, await createTrust(parts, caller, { machineId, draft })),
    endMachineTrust: ({ caller, params: { machine_id: machineId, trust_id: trustId } }) =>
      stores.machineTrusts.end({ machineId, trustId }, stampOf(caller, clock)),
    async listMachineAttempts({ caller, params }) {
      const attempts = await listAttempts(parts, caller, params.machine_id)
      return attempts.map(({ isBound, ...attempt }) => ({ ...attempt, is_bound: isBound }))
    },
    async allowMachineAttempt({ caller, params, body: seen }) {
      const { machine_id: machineId, fingerprint } = params
      const trustId = await allowAttempt(parts, caller, { machineId, fingerprint, seen })
      return created(caller, machineId, trustId)
    },
    dismissMachineAttempt: ({ caller, params: { machine_id: machineId, fingerprint } }) =>
      dismissAttempt(parts, caller, { machineId, fingerprint }),
    async createDelivery({ caller, body }) {
      await program.takeDelivery(caller.machine.id)
      return deliverToMachine({ stores, clock, maxPayloadBytes: requestParts.maxPayloadBytes }, caller, body)
    },
    async waitForChange(call) {
      const { caller, params } = call
      await program.takeWatch(caller.machine.id)
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

function presentMachine({ tokens, ...machine }: Machine, now: Date) {
  return { ...machine, tokens: tokens.map((token) => presentToken(token, now)) }
}

function presentToken(token: MachineToken, now: Date) {
  const { lifetime_seconds: _lifetime, ...shown } = token
  return { ...shown, due: tokenDue(token, now) }
}

function tokenOf(token: Extract<MachineCaller['proof'], { kind: 'token' }>, now: Date) {
  const { id, hint, expires_at } = token
  return { id, hint, expires_at, due: tokenDue(token, now) }
}
