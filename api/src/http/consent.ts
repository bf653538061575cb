import { DomainError } from '../domain/errors.ts'
import type { Handlers } from './handler.ts'

type ConsentHandlers = Pick<
  Handlers,
  'listReceiptKeys' | 'listGrants' | 'revokeGrant' | 'revokeOwnGrants' | 'forgetDevice'
>

export function consentHandlers(): ConsentHandlers {
  return {
    listReceiptKeys: () => ({ status: 200, body: { keys: [] } }),
    listGrants: () => ({ status: 200, body: [] }),
    revokeGrant: () => {
      throw new DomainError('not_found', 'Remembered approval not found')
    },
    revokeOwnGrants: () => ({ status: 200, body: { ended: 0 } }),
    forgetDevice: () => ({ status: 200, body: { ended: 0 } }),
  }
}
