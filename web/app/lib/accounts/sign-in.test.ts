import { expect, test } from 'vitest'
import { invitationToken } from './sign-in.ts'

test('an invitation is read from the address that sign-up returns to', () => {
  expect(invitationToken('?return_to=/invite/Zb3m-Tq_k')).toBe('Zb3m-Tq_k')
  expect(invitationToken('?return_to=/keys')).toBeNull()
  expect(invitationToken('')).toBeNull()
})
