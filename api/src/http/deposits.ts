import { decide, findUndecided } from '../domain/approvals/decision.ts'
import { DEPOSIT } from '../domain/kinds/deposit-approval.ts'
import { ofEachBundle, removedValue, shownPlan, shownValues } from '../domain/kinds/deposit-plan.ts'
import { offeredDeposit, offeredValues } from '../domain/kinds/proposal-offer.ts'
import { acceptProposal, planProposal, valuesForOwner } from '../domain/kinds/proposal-storing.ts'
import { requireInside } from '../domain/requests/request.ts'
import type { ImportPlan } from '../domain/transfer/library-import.ts'
import type { ImportStep } from '../domain/transfer/library-import-step.ts'
import { endProposal, listProposals } from '../domain/transfer/proposal.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { presentRemoval, presentStep, stricterIn } from './imports.ts'

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
      const stored = await findUndecided(parts, params.request_id)
      requireInside(stored, caller)
      const asking = { caller, stored }
      const { planned, grounds, proposal } = await offeredDeposit(parts, asking, body)
      const all = [planned.plan, ...planned.plan.also]
      const stricter = (await Promise.all(all.map((each) => stricterIn(parts, caller, each)))).flat()
      const [first, ...also] = ofEachBundle<ImportPlan, ShownBundle>(planned.asked, planned.plan, shownBundle)
      const { plan: steps, ...into } = first
      const shown = { ...into, ...shownPlan(planned, grounds), plan: steps, stricter }
      const plan = { ...shown, ...(also.length > 0 && { also }) }
      return proposal ? { ...plan, proposal: { ...proposal, values: offeredValues(planned) } } : plan
    },
    async approveDeposit({ caller, params, body: choice, touch }) {
      const deciding = { kind: DEPOSIT, act: 'approveDeposit', touch, requestId: params.request_id, choice }
      return await decide(parts, caller, deciding)
    },
    listProposals: ({ caller }) => listProposals(parts, caller),
    async planProposal({ caller, params, body }) {
      const asked = { proposalId: params.proposal_id, choice: body }
      const { plan, bundleName, readable, ...places } = await planProposal(parts, caller, asked)
      const steps = shownSteps(plan, (step) => valuesForOwner(step, readable))
      const stricter = await stricterIn(parts, caller, plan)
      const shown = { bundle_id: plan.bundleId, bundle: bundleName, plan_id: plan.planId, plan: steps }
      return { ...shown, ...places, stricter }
    },
    acceptProposal: ({ caller, params, body: choice }) =>
      acceptProposal(parts, caller, { proposalId: params.proposal_id, choice }),
    endProposal: ({ caller, params }) => endProposal(parts, caller, params.proposal_id),
  } satisfies Partial<Handlers>
}

type ShownBundle = ReturnType<typeof shownBundle>

function shownBundle(bundle: string, plan: ImportPlan) {
  return { bundle_id: plan.bundleId, bundle, plan: shownSteps(plan, shownValues) }
}

function shownSteps({ steps, removals }: ImportPlan, valuesOf: (step: ImportStep) => object) {
  const stored = steps.map((step) => ({ ...presentStep(step), ...valuesOf(step) }))
  const removed = removals.map((each) => ({ ...presentRemoval(each), ...removedValue(each.key) }))
  return [...stored, ...removed]
}
