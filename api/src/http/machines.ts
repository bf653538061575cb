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

type MachineHandlers = Pick<
  Handlers,
  | 'createMachine'
  | 'listMachines'
  | 'getMachine'
  | 'updateMachine'
  | 'deleteMachine'
  | 'listMachineHoldings'
  | 'grantBundle'
  | 'revokeBundle'
>

export function machineHandlers({ stores, clock }: HandlerParts): MachineHandlers {
  const { machines, holders } = stores
  const parts = { machines, clock }
  const present = (machine: Machine) => presentMachine(machine, clock.now())
  return {
    async createMachine({ caller, body }) {
      return { status: 201, body: present(await createMachine(parts, caller, body)) }
    },
    async listMachines({ caller, query: page }) {
      return pageReply(await listMachines(machines, caller, page), present)
    },
    async getMachine({ caller, params }) {
      return { status: 200, body: present(await findMachine(machines, caller, params.machine_id)) }
    },
    async updateMachine({ caller, params, body: change }) {
      const machine = await updateMachine(parts, caller, { machineId: params.machine_id, change })
      return { status: 200, body: present(machine) }
    },
    async deleteMachine({ caller, params }) {
      await deleteMachine(parts, caller, params.machine_id)
      return { status: 200, body: { ok: true } }
    },
    async listMachineHoldings({ caller, params, query: page }) {
      const machineId = params.machine_id
      return pageReply(await listMachineHoldings(holders, caller, { machineId, page }), presentHolding)
    },
    async grantBundle({ caller, params, body: { scope } }) {
      await grantBundle(parts, caller, { machineId: params.machine_id, bundleId: params.bundle_id, scope })
      return { status: 200, body: { ok: true } }
    },
    async revokeBundle({ caller, params }) {
      await revokeBundle(parts, caller, { machineId: params.machine_id, bundleId: params.bundle_id })
      return { status: 200, body: { ok: true } }
    },
  }
}

type TokenHandlers = Pick<
  Handlers,
  'createMachineToken' | 'rotateMachineToken' | 'endMachineToken' | 'reportTokens'
>

export function machineTokenHandlers({ stores, clock, tokensAllowed }: HandlerParts): TokenHandlers {
  const parts = { machineTokens: stores.machineTokens, clock, tokensAllowed }
  return {
    async createMachineToken({ caller, params, body: { expires_in_days, networks } }) {
      const draft = { machineId: params.machine_id, expiresInDays: expires_in_days, networks }
      return { status: 201, body: await createToken(parts, caller, draft) }
    },
    async rotateMachineToken({ caller, params, body: { overlap_seconds: overlapSeconds } }) {
      const place = { machineId: params.machine_id, tokenId: params.token_id }
      return { status: 201, body: await rotateToken(parts, caller, { ...place, overlapSeconds }) }
    },
    async endMachineToken({ caller, params }) {
      await endToken(parts, caller, { machineId: params.machine_id, tokenId: params.token_id })
      return { status: 200, body: { ok: true } }
    },
    async reportTokens({ body, peer }) {
      await reportTokens(parts, body, originOf(peer))
      return { status: 204, body: '' }
    },
  }
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
