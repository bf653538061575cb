import { listWaiting } from '../domain/kinds/waiting.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function waitingHandlers({ requestParts: parts }: HandlerParts) {
  return {
    listWaiting: ({ caller }) => listWaiting(parts, caller),
  } satisfies Partial<Handlers>
}
