import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function receiptHandlers({ receiptKeys }: HandlerParts): Pick<Handlers, 'listReceiptKeys'> {
  const keys = receiptKeys.map(({ kid, publicKey, createdAt, endorsement }) => ({
    kid,
    public_key: Buffer.from(publicKey).toString('base64'),
    created_at: createdAt,
    endorsed_by: endorsement,
  }))
  return { listReceiptKeys: () => ({ status: 200, body: { keys } }) }
}
