import { decide } from '../domain/approvals/decision.ts'
import { DEPOSIT } from '../domain/kinds/deposit-approval.ts'
import { planDeposit, removedValue, shownPlan, shownValues } from '../domain/kinds/deposit-plan.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentRemoval, presentStep } from './imports.ts'

export function depositHandlers({
  stores: { depositKeys },
  signDepositKey,
  requestParts: parts,
}: HandlerParts) {
  return {
    async getDepositKey() {
      const { kid, pair, createdAt } = await depositKeys.newest()
      const { kid: signer, signature } = signDepositKey(pair.publicKey)
      return {
        kid,
        public_key: Buffer.from(pair.publicKey).toString('base64'),
        created_at: createdAt,
        signed_by: { kid: signer, signature: Buffer.from(signature).toString('base64') },
      }
    },
    async planDeposit({ caller, params, body }) {
      const asked = { requestId: params.request_id, treatment: body }
      const { planned, grounds } = await planDeposit(parts, caller, asked)
      const { steps, removals } = planned.plan
      const stored = steps.map((step) => ({ ...presentStep(step), ...shownValues(step) }))
      const removed = removals.map((each) => ({ ...presentRemoval(each), ...removedValue(each.key) }))
      return { ...shownPlan(planned, grounds), plan: [...stored, ...removed] }
    },
    async approveDeposit({ caller, params, body: choice }) {
      const deciding = { kind: DEPOSIT, requestId: params.request_id, choice }
      return (await decide(parts, caller, deciding)).approved
    },
  } satisfies Partial<Handlers>
}
