import { openApiDocument } from '@keyferry/contract/openapi'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function serviceHandlers({
  version,
  failingStores,
}: HandlerParts): Pick<Handlers, 'getHealth' | 'getReadiness' | 'getOpenApi'> {
  let document: ReturnType<typeof openApiDocument> | undefined
  return {
    getOpenApi() {
      document ??= openApiDocument(version)
      return { status: 200, body: document }
    },
    getHealth: () => ({ status: 200, body: { status: 'ok', version } }),
    async getReadiness() {
      const failing = await failingStores()
      if (failing.length === 0) return { status: 200, body: { status: 'ok', failing } }
      return { status: 503, body: { status: 'unavailable', failing }, headers: { 'retry-after': '1' } }
    },
  }
}
