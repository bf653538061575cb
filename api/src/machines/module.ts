import { MACHINE_LIMITS, MACHINE_RATES } from '@keyferry/contract/machines'
import { stricterForPrograms } from '../domain/approvals/value-rules.ts'
import { wholePage } from '../domain/base/listing.ts'
import { waitForOwnChange } from '../domain/collection/changed-values.ts'
import { listProgramHoldings } from '../domain/deliveries/holder.ts'
import type { Caller } from '../domain/people/membership.ts'
import type { Program } from '../domain/people/program.ts'
import { presentHolding } from '../http/deliveries.ts'
import { type Handlers, originOf } from '../http/handler.ts'
import { pageReply } from '../http/list-reply.ts'
import type { ApiModule, ModuleParts } from '../module-parts.ts'
import { within } from '../storage/reach/reached-rows.ts'
import { sweepEvery } from '../sweeping.ts'
import type { MachineCaller } from './domain/machine-caller.ts'
import { tokenDue } from './domain/machine-token.ts'
import { createIdTokens } from './federation/id-tokens.ts'
import { IssuerKeys } from './federation/issuer-keys.ts'
import { MachineRefusals, machineCalls } from './machine-calls.ts'
import { allowAttempt, dismissAttempt, listAttempts } from './storage/machine-attempts.ts'
import { grantsOf } from './storage/machine-callers.ts'
import { deliverToMachine } from './storage/machine-deliveries.ts'
import { findMachine, listMachines } from './storage/machine-reading.ts'
import { createToken, endToken, recordExpiring, reportTokens, rotateToken } from './storage/machine-tokens.ts'
import { createTrust, endTrust } from './storage/machine-trusts.ts'
import { createMachine, deleteMachine, grantBundle, revokeBundle, updateMachine } from './storage/machines.ts'

const SWEEP_SECONDS = 15

export function handlers({ queries, clock, guard: targets, ...program }: ModuleParts) {
  const { stores, settings, openLimit } = program
  const { maxPayloadBytes, approvalAssurance: assurance, machineTokens: tokensAllowed } = settings
  const parts = { queries, clock, targets, audience: audienceOf(settings), tokensAllowed }
  const takeDelivery = openLimit('machineDelivery', MACHINE_RATES.delivery)
  const takeWatch = openLimit('machineWait', MACHINE_RATES.wait)
  // A limited member sees the machines of the bundles within reach.
  const readBy = ({ tenantId, userId, reach }: Caller) => {
    const { query } = queries
    return { clock, query: reach === null ? query : within(query, { tenantId, userId, reach }, queries) }
  }
  return {
    createMachine: ({ caller, body }) => createMachine(parts, caller, body),
    listMachines: async ({ caller, query: page }) =>
      pageReply(
        await listMachines(readBy(caller), caller.tenantId, wholePage(page, MACHINE_LIMITS.machines)),
        (machine) => machine,
      ),
    getMachine: ({ caller, params }) => findMachine(readBy(caller), caller.tenantId, params.machine_id),
    updateMachine: ({ caller, params: { machine_id: machineId }, body: change }) =>
      updateMachine(parts, caller, { machineId, change }),
    deleteMachine: ({ caller, params }) => deleteMachine(parts, caller, params.machine_id),
    listMachineHoldings: async ({ caller, params: { machine_id: programId }, query: page }) =>
      pageReply(await listProgramHoldings(stores.holders, caller, { programId, page }), presentHolding),
    async grantBundle({ caller, params, body }) {
      const { machine_id: machineId, bundle_id: bundleId } = params
      await grantBundle(parts, caller, { machineId, bundleId, ...body })
      const place = { tenantId: caller.tenantId, bundleId }
      return { ok: true as const, stricter: await stricterForPrograms({ stores, assurance }, place) }
    },
    revokeBundle: ({ caller, params: { machine_id: machineId, bundle_id: bundleId } }) =>
      revokeBundle(parts, caller, { machineId, bundleId }),
    createMachineToken: ({ caller, params, body: { expires_in_days: expiresInDays, networks } }) =>
      createToken(parts, caller, { machineId: params.machine_id, expiresInDays, networks }),
    rotateMachineToken: ({ caller, params, body: { overlap_seconds: overlapSeconds } }) =>
      rotateToken(parts, caller, { machineId: params.machine_id, tokenId: params.token_id, overlapSeconds }),
    endMachineToken: ({ caller, params: { machine_id: machineId, token_id: tokenId } }) =>
      endToken(parts, caller, { machineId, tokenId }),
    async reportTokens({ body, peer }) {
      await reportTokens(parts, body, originOf(peer))
      return '' as const
    },
    createMachineTrust: ({ caller, params: { machine_id: machineId }, body: draft }) =>
      createTrust(parts, caller, { machineId, draft }),
    endMachineTrust: ({ caller, params: { machine_id: machineId, trust_id: trustId } }) =>
      endTrust(parts, caller, { machineId, trustId }),
    listMachineAttempts: ({ caller, params }) => listAttempts(parts, caller, params.machine_id),
    allowMachineAttempt: ({ caller, params: { machine_id: machineId, fingerprint }, body: seen }) =>
      allowAttempt(parts, caller, { machineId, fingerprint, seen }),
    dismissMachineAttempt: ({ caller, params: { machine_id: machineId, fingerprint } }) =>
      dismissAttempt(parts, caller, { machineId, fingerprint }),
    async createDelivery({ caller, body }) {
      const machine = machineIn(caller)
      await takeDelivery(machine.machine.id)
      return deliverToMachine({ queries, stores, clock, maxPayloadBytes }, machine, body)
    },
    async waitForChange(call) {
      const { tenantId, machine } = machineIn(call.caller)
      await takeWatch(machine.id)
      const deliveryId = call.params.delivery_id
      const open = { deliveryId, onBreak: (listener: () => void) => call.onBreak(listener) }
      const own = { tenantId, programId: machine.id }
      return { delivery_id: deliveryId, changed: await waitForOwnChange(program, own, open) }
    },
    async getOwnMachine({ caller }) {
      const { tenantId, workspace, machine, readsAudit, proof } = machineIn(caller)
      const grants = await grantsOf(queries.query, tenantId, machine.id)
      const token = proof.kind === 'token' ? tokenOf(proof, clock.now()) : null
      return { ...machine, workspace, audit: readsAudit, grants, token }
    },
  } satisfies Partial<Handlers>
}

export const programCalls: NonNullable<ApiModule['programCalls']> = (opened, parts) => {
  const { queries, stores, settings, openLimit, guard, clock, log } = parts
  const refusals = new MachineRefusals({ events: stores.events, clock, log })
  opened.defer(() => refusals.close())
  const issuerKeys = new IssuerKeys({ guard, nowMs: () => clock.now().getTime(), log })
  return machineCalls({
    queries,
    clock,
    idTokens: createIdTokens(issuerKeys, clock.now),
    audience: audienceOf(settings),
    tokensAllowed: settings.machineTokens,
    countRefusal: openLimit('machineRefusal', MACHINE_RATES.refusal),
    refusals,
  })
}

/** Record tokens that expire soon, until `opened` ends. */
export const start: ApiModule['start'] = (opened, { queries, clock, steps, log, sweepSeconds }) => {
  const sweep = () => recordExpiring(queries, clock.now().toISOString())
  sweepEvery(opened, sweepSeconds ?? SWEEP_SECONDS, { name: 'machine token sweep', sweep, steps, log })
}

function audienceOf({ publicUrl }: ModuleParts['settings']): string {
  return publicUrl ?? 'keyferry'
}

function machineIn(program: Program): MachineCaller {
  if (!isMachine(program)) throw new Error('a program of another module')
  return program
}

function isMachine(program: Program): program is MachineCaller {
  return 'machine' in program
}

function tokenOf(token: Extract<MachineCaller['proof'], { kind: 'token' }>, now: Date) {
  const { id, hint, expires_at } = token
  return { id, hint, expires_at, due: tokenDue(token, now) }
}
