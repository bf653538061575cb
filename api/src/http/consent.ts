import type { Handlers } from './handler.ts'

export function consentHandlers(): Pick<Handlers, 'listReceiptKeys'> {
  return {
    listReceiptKeys: () => ({ status: 200, body: { keys: [] } }),
  }
}
