import { expect, test } from 'vitest'
import { endsOf } from './member.ts'

test('a member who is removed or demoted loses invitations, approvals and remembered approvals', () => {
  expect(endsOf('removed')).toEqual({ invitations: true, approvals: true, grants: 'person_removed' })
  expect(endsOf('member')).toEqual({ invitations: true, approvals: true, grants: 'role_changed' })
})

test('a new owner keeps invitations and open approvals; remembered ones end with every role', () => {
  expect(endsOf('owner')).toEqual({ invitations: false, approvals: false, grants: 'role_changed' })
})

test('a limit ends approvals, and leaves what an owner made for the member’s next account', () => {
  const ends = { invitations: false, approvals: true, grants: 'role_changed' }
  expect([endsOf({ limited_to: ['partner/'] }), endsOf({ limited_to: null })]).toEqual([ends, ends])
})
