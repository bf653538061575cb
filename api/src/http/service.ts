import { openApiDocument } from '@keyferry/contract/openapi'
import { type Handlers, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function serviceHandlers({ version, failingStores, warnings: currentWarnings }: HandlerParts) {
  let document: ReturnType<typeof openApiDocument> | undefined
  return {
    getOpenApi() {
      document ??= openApiDocument(version)
      return document
    },
    getHealth: () => ({ status: 'ok', version }),
    async getReadiness() {
      const failing = await failingStores()
      // The node serves all workspaces while the log of one has a problem, so no load balancer may take it out.
      const warnings = [...currentWarnings()]
      if (failing.length === 0) return { status: 'ok', failing, warnings }
      const body = { status: 'unavailable', failing, warnings } as const
      return new Reply({ status: 503, body, headers: { 'retry-after': '1' } })
    },
  } satisfies Partial<Handlers>
}
