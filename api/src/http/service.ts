import { openApiDocument } from '@keyferry/contract/openapi'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function serviceHandlers({
  version,
  failingStores,
  auditProblems,
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
      // The node serves all workspaces while the log of one has a problem, so no load balancer may take it out.
      const warnings = [...auditProblems()]
      if (failing.length === 0) return { status: 200, body: { status: 'ok', failing, warnings } }
      const body = { status: 'unavailable', failing, warnings } as const
      return { status: 503, body, headers: { 'retry-after': '1' } }
    },
  }
}
