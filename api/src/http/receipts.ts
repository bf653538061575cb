import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function receiptHandlers({ receiptKeys }: HandlerParts) {
  const keys = receiptKeys.map(({ kid, publicKey, createdAt, endorsement }) => ({
    kid,
    public_key: Buffer.from(publicKey).toString('base64'),
    created_at: createdAt,
    endorsed_by: endorsement,
  }))
  return { listReceiptKeys: () => ({ keys }) } satisfies Partial<Handlers>
}
