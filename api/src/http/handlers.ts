import { attachmentHandlers } from './attachments.ts'
import { bundleHandlers } from './bundles.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { keyHandlers } from './keys.ts'
import { requestHandlers } from './requests.ts'
import { serviceHandlers } from './service.ts'
import { userHandlers } from './users.ts'

export function createHandlers(parts: HandlerParts): Partial<Handlers> {
  return {
    ...requestHandlers(parts.requests),
    ...serviceHandlers(parts),
    ...userHandlers(parts),
    ...bundleHandlers(parts),
    ...keyHandlers(parts),
    ...attachmentHandlers(parts),
  }
}
