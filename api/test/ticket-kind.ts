import { ASSURANCES } from '@keyferry/contract'
import { z } from 'zod'
import type {
  ApprovalKind,
  DecisionParts,
  DecisionStores,
  ReleaseChoice,
} from '../src/domain/approvals/decision.ts'
import type { Ending, Endings } from '../src/domain/approvals/ending.ts'
import { sealText } from '../src/domain/deliveries/sealed-values.ts'
import { type BundleStore, findBundle } from '../src/domain/library/bundle.ts'
import { publicKeyOf } from '../src/domain/requests/request.ts'

/*
 * A fourth kind of approval, for tests only: a ticket for a bundle's build service. The bundle's rules judge it, one
 * person approves it, and it is sealed to the client's key.
 */

/** The record of each ticket: what became of it, in order. */
export type Tickets = Map<string, string[]>

type Parts = DecisionParts<DecisionStores> & { tickets: Tickets; stores: { bundles: BundleStore } }

const ApprovedTicket = z.object({
  kind: z.literal('ticket'),
  approverId: z.string(),
  tenant: z.object({ id: z.string(), name: z.string() }),
  ticketId: z.string(),
  assurance: z.enum(ASSURANCES),
})

export const TICKET: ApprovalKind<Parts, ReleaseChoice & { bundle_id: string }, DecisionStores> = {
  refusals: {
    owner_approves: 'Only an owner may give tickets for this bundle',
    named_approves: 'Only named people may give tickets for this bundle',
    agents_denied: 'AI agents get no tickets for this bundle',
    release_required: 'Tickets for this bundle return to the terminal',
    second_person: 'Another person must give this ticket',
  },
  async offer(parts, { caller }, { bundle_id }) {
    const bundle = await findBundle(parts.stores.bundles, caller, bundle_id)
    return {
      places: [bundle],
      people: 1,
      requireSame: () => {},
      async begin({ request, policy: { assurance } }) {
        const ticketId = parts.clock.newId()
        const tenant = { id: caller.tenantId, name: 'Team' }
        const approved = { kind: 'ticket', approverId: caller.userId, tenant, ticketId, assurance }
        const sealing = { publicKey: publicKeyOf(request.publicKey), maxBytes: 1_000 }
        const record = async () => {
          parts.tickets.set(ticketId, ['approved'])
        }
        const ciphertextBase64 = sealText(ticketId, sealing)
        return { gives: { as: 'approval', approved, ciphertextBase64 }, record }
      },
    }
  },
}

/** What becomes of a ticket. */
export function ticketEndings(tickets: Tickets): Endings {
  return { ticket: (approved) => ticketEnding(tickets, ApprovedTicket.parse(approved)) }
}

function ticketEnding(tickets: Tickets, { ticketId, assurance }: z.infer<typeof ApprovedTicket>): Ending {
  const note = async (what: string) => {
    tickets.get(ticketId)?.push(what)
  }
  return {
    assurance: async () => assurance,
    end: (_, { reason, wasHeld }) => note(wasHeld ? `${reason} while held` : reason),
    returning: async () => ({
      async inside(_, { by }) {
        await note(`returned by ${by}`)
        return null
      },
    }),
    collected: () => note('collected'),
  }
}
