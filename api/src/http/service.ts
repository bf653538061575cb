import { openApiDocument } from '@keyferry/contract/openapi'
import { type Handlers, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function serviceHandlers({ version, failingStores, receiptKeys, ...program }: HandlerParts) {
  let document: ReturnType<typeof openApiDocument> | undefined
  const keys = receiptKeys.map(({ kid, publicKey, createdAt, endorsement }) => ({
    kid,
    public_key: Buffer.from(publicKey).toString('base64'),
    created_at: createdAt,
    endorsed_by: endorsement,
  }))
  return {
    getOpenApi() {
      document ??= openApiDocument(version)
      return document
    },
    getHealth: () => ({ status: 'ok', version }),
    async getReadiness() {
      const failing = await failingStores()
      // The node serves all workspaces while the log of one has a problem, so no load balancer may take it out.
      const warnings = [...program.warnings()]
      if (failing.length === 0) return { status: 'ok', failing, warnings }
      const body = { status: 'unavailable', failing, warnings } as const
      return new Reply({ status: 503, body, headers: { 'retry-after': '1' } })
    },
    listReceiptKeys: () => ({ keys }),
  } satisfies Partial<Handlers>
}
