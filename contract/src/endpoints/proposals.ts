import { DELETE, type Endpoint, GET, POST } from '../endpoint.ts'
import * as deposit from '../schemas/deposit.ts'
import { ProposalList } from '../schemas/proposal.ts'
import { Ok } from '../schemas/text.ts'

/** Deposits that their senders may not store: owners decide. */
export const proposalEndpoints = {
  listProposals: GET('/api/v1/proposals', 'member', {
    summary: "Proposals of the last days: the caller's own; owners see all",
    responses: { 200: ProposalList },
  }),
  planProposal: POST('/api/v1/proposals/{proposal_id}/plan', 'owner', {
    summary: 'What storing a proposal would do now; changes nothing',
    body: deposit.PlanProposal,
    bodyOptional: true,
    responses: { 200: deposit.ProposalPlan },
    errors: [400, 404, 409],
  }),
  acceptProposal: POST('/api/v1/proposals/{proposal_id}/accept', 'owner', {
    summary: 'Store a proposal as the plan says, all or nothing',
    body: deposit.AcceptProposal,
    responses: { 200: Ok },
    errors: [400, 404, 409],
  }),
  endProposal: DELETE('/api/v1/proposals/{proposal_id}', 'member', {
    summary: 'Decline a proposal (owner), or withdraw the own one',
    responses: { 200: Ok },
    errors: [404],
  }),
} as const satisfies Record<string, Endpoint>
