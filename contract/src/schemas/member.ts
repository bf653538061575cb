import { z } from 'zod'
import { Id, Timestamp } from './text.ts'
import { Role } from './user.ts'

/** `email`: null until the identity provider has verified it. */
export const MemberList = z
  .array(
    z
      .object({
        user_id: Id,
        username: z.string(),
        email: z.string().nullable(),
        role: Role,
        created_at: Timestamp,
      })
      .meta({ id: 'Member' }),
  )
  .meta({
    id: 'MemberList',
    examples: [
      [
        {
          user_id: 'd9c1b1e7-7f3a-4d0c-9d30-1f3f0b8e6c55',
          username: 'sam',
          email: 'sam@example.com',
          role: 'owner',
          created_at: '2026-01-31T12:00:00.000Z',
        },
      ],
    ],
  })

export const ChangeRole = z.object({ role: Role }).meta({ id: 'ChangeRole', examples: [{ role: 'member' }] })
