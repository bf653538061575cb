import { type Endpoint, GET, POST } from '../endpoint.ts'
import { ApproveNames, NamesOffer, NamesQuery } from '../schemas/names.ts'
import { Approved } from '../schemas/release.ts'

/** Names that a terminal lists, after a person approved that. */
export const namesEndpoints = {
  previewNames: GET('/api/v1/requests/{request_id}/names', 'member', {
    summary: 'What an approval of a request for names lets the terminal read; no value',
    query: NamesQuery,
    responses: { 200: NamesOffer },
    errors: [400, 404, 409],
  }),
  approveNames: POST('/api/v1/requests/{request_id}/names', 'member', {
    summary: 'Approve a request for names: seal the list to the client',
    body: ApproveNames,
    responses: { 200: Approved },
    errors: [400, 403, 404, 409, 413],
  }),
} as const satisfies Record<string, Endpoint>
