import { stricterForMachines } from '../domain/approvals/value-rules.ts'
import { listMachineHoldings } from '../domain/deliveries/holder.ts'
import {
  createMachine,
  deleteMachine,
  findMachine,
  grantBundle,
  listMachines,
  type Machine,
  type MachineToken,
  type MachineTrust,
  revokeBundle,
  updateMachine,
} from '../domain/machines/machine.ts'
import {
  createToken,
  endToken,
  reportTokens,
  rotateToken,
  tokenDue,
} from '../domain/machines/machine-token.ts'
import { presentHolding } from './deliveries.ts'
import { type Handlers, originOf } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { pageReply } from './list-reply.ts'

export function machineHandlers({ stores, clock, requestParts }: HandlerParts) {
  const { machines, holders } = stores
  const parts = { machines, clock }
  const present = (machine: Machine) => presentMachine(machine, clock.now())
  return {
    createMachine: async ({ caller, body }) => present(await createMachine(parts, caller, body)),
    listMachines: async ({ caller, query: page }) =>
      pageReply(await listMachines(machines, caller, page), present),
    getMachine: async ({ caller, params }) => present(await findMachine(machines, caller, params.machine_id)),
    updateMachine: async ({ caller, params: { machine_id: machineId }, body: change }) =>
      present(await updateMachine(parts, caller, { machineId, change })),
    deleteMachine: ({ caller, params }) => deleteMachine(parts, caller, params.machine_id),
    listMachineHoldings: async ({ caller, params: { machine_id: machineId }, query: page }) =>
      pageReply(await listMachineHoldings(holders, caller, { machineId, page }), presentHolding),
    async grantBundle({ caller, params, body: { scope } }) {
      const place = { tenantId: caller.tenantId, bundleId: params.bundle_id }
      await grantBundle(parts, caller, { machineId: params.machine_id, bundleId: params.bundle_id, scope })
      return { ok: true as const, stricter: await stricterForMachines(requestParts, place) }
    },
    revokeBundle: ({ caller, params }) =>
      revokeBundle(parts, caller, { machineId: params.machine_id, bundleId: params.bundle_id }),
  } satisfies Partial<Handlers>
}

export function machineTokenHandlers({ stores, clock, tokensAllowed }: HandlerParts) {
  const parts = { machineTokens: stores.machineTokens, clock, tokensAllowed }
  return {
    createMachineToken: ({ caller, params, body: { expires_in_days: expiresInDays, networks } }) =>
      createToken(parts, caller, { machineId: params.machine_id, expiresInDays, networks }),
    rotateMachineToken: ({ caller, params, body: { overlap_seconds: overlapSeconds } }) =>
      rotateToken(parts, caller, { machineId: params.machine_id, tokenId: params.token_id, overlapSeconds }),
    endMachineToken: ({ caller, params }) =>
      endToken(parts, caller, { machineId: params.machine_id, tokenId: params.token_id }),
    async reportTokens({ body, peer }) {
      await reportTokens(parts, body, originOf(peer))
      return '' as const
    },
  } satisfies Partial<Handlers>
}

function presentMachine({ grants, tokens, trusts, ...machine }: Machine, now: Date) {
  return {
    ...machine,
    grants: [...grants],
    tokens: tokens.map((token) => presentToken(token, now)),
    trusts: trusts.map(presentTrust),
  }
}

function presentToken(token: MachineToken, now: Date) {
  const { lifetime_seconds: _lifetime, networks, ...shown } = token
  return { ...shown, networks: [...networks], due: tokenDue(token, now) }
}

export function presentTrust({ claims, networks, ...trust }: MachineTrust) {
  const lists = Object.entries(claims).map(([name, values]): [string, string[]] => [name, [...values]])
  return { ...trust, claims: Object.fromEntries(lists), networks: [...networks] }
}
