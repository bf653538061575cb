import { z } from 'zod'
import { Email } from './email.ts'
import { Id, requiredText, Timestamp } from './text.ts'
import { Role } from './user.ts'

export const CreateInvitation = z
  .object({ email: Email, role: Role })
  .meta({ id: 'CreateInvitation', examples: [{ email: 'kim@example.com', role: 'member' }] })

const EXAMPLE_INVITATION = {
  id: '3f9a9d5e-4a0e-45f8-9a47-3d0c6e1c1a77',
  email: 'kim@example.com',
  role: 'member',
  expires_at: '2026-02-07T12:00:00.000Z',
}

export const Invitation = z
  .object({ id: Id, email: z.string(), role: Role, expires_at: Timestamp, created_at: Timestamp })
  .meta({ id: 'Invitation' })

export const InvitationList = z.array(Invitation).meta({
  id: 'InvitationList',
  examples: [[{ ...EXAMPLE_INVITATION, created_at: '2026-01-31T12:00:00.000Z' }]],
})

/** The only answer that ever carries the token. */
export const CreatedInvitation = z
  .object({
    id: Id,
    email: z.string(),
    role: Role,
    token: z.string(),
    accept_path: z.string(),
    expires_at: Timestamp,
  })
  .meta({
    id: 'CreatedInvitation',
    examples: [
      {
        ...EXAMPLE_INVITATION,
        token: 'Zb3mTqk0cZ5q8uJYy0mXn1n6m0m1H8nq0hX0b2S7k0A',
        accept_path: '/invite/Zb3mTqk0cZ5q8uJYy0mXn1n6m0m1H8nq0hX0b2S7k0A',
      },
    ],
  })

/** What an open invitation shows to the holder of its token, before they join.
 * `invited_by.email`: null until the identity provider has verified it. */
export const InvitationPreview = z
  .object({
    tenant: z.object({ id: Id, name: z.string() }),
    email: z.string(),
    role: Role,
    invited_by: z.object({ username: z.string(), email: z.string().nullable() }),
    expires_at: Timestamp,
  })
  .meta({
    id: 'InvitationPreview',
    examples: [
      {
        tenant: { id: '7e4d7d0a-51b4-4a53-8f6e-2a2b7f1c9e04', name: 'Acme' },
        email: EXAMPLE_INVITATION.email,
        role: 'member',
        invited_by: { username: 'sam', email: 'sam@example.com' },
        expires_at: EXAMPLE_INVITATION.expires_at,
      },
    ],
  })

export const AcceptInvitation = z
  .object({ token: requiredText('token', 128, 'token required') })
  .meta({ id: 'AcceptInvitation', examples: [{ token: 'Zb3mTqk0cZ5q8uJYy0mXn1n6m0m1H8nq0hX0b2S7k0A' }] })
