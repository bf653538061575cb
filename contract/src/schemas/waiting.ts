import { z } from 'zod'
import { Proposal } from './proposal.ts'
import { NamedBundle } from './request-wait.ts'
import { Actor, Timestamp } from './text.ts'

/** `person`: who asks, or who approved first. */
const request = {
  request_id: z.string(),
  bundle: NamedBundle,
  key_count: z.int(),
  person: Actor,
  at: Timestamp,
  expires_at: Timestamp,
}

/** What waits for a decision of the caller, the newest first. `request`: a person says that the request is of their own
 * terminal, and may not approve it. `second_approval`: one person approved, and the bundle needs two. `proposal`: a
 * person proposes values that they may not store; owners decide. */
export const WaitingList = z
  .array(
    z
      .discriminatedUnion('kind', [
        z.object({ kind: z.literal('request'), ...request }),
        z.object({ kind: z.literal('second_approval'), ...request }),
        z.object({ kind: z.literal('proposal'), proposal: Proposal, person: Actor, at: Timestamp }),
      ])
      .meta({ id: 'WaitingItem' }),
  )
  .meta({
    id: 'WaitingList',
    examples: [
      [
        {
          kind: 'second_approval',
          request_id: '7f9c2ba4e88f827d616045507605853e',
          bundle: { id: '0f0b6a0e-3c52-4f43-9a55-0d5f3c1f7a10', name: 'prod/web' },
          key_count: 3,
          person: { kind: 'user', id: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55', name: 'sam' },
          at: '2026-01-31T12:00:00.000Z',
          expires_at: '2026-01-31T12:30:00.000Z',
        },
      ],
    ],
  })
