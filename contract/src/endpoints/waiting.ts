import { type Endpoint, GET } from '../endpoint.ts'
import { WaitingList } from '../schemas/waiting.ts'

/** What waits for a decision of the caller. */
export const waitingEndpoints = {
  listWaiting: GET('/api/v1/waiting', 'member', {
    summary: "What waits for the caller's decision in this workspace, the newest first",
    responses: { 200: WaitingList },
  }),
} as const satisfies Record<string, Endpoint>
