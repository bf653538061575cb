import { expect, test } from 'vitest'
import { endsOf } from './member.ts'

test('a member who is removed or demoted loses invitations, approvals and remembered approvals', () => {
  expect(endsOf('removed')).toEqual({ invitations: true, approvals: true, grants: 'person_removed' })
  expect(endsOf('member')).toEqual({ invitations: true, approvals: true, grants: 'role_changed' })
})

test('a new owner keeps invitations and open approvals; remembered ones end with every role', () => {
  expect(endsOf('owner')).toEqual({ invitations: false, approvals: false, grants: 'role_changed' })
})
