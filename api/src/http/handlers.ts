import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'
import { serviceHandlers } from './service.ts'
import { userHandlers } from './users.ts'

export function createHandlers(parts: HandlerParts): Partial<Handlers> {
  return { ...serviceHandlers(parts), ...userHandlers(parts) }
}
