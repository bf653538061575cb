import type { ClockAndIds } from '../domain/clock-and-ids.ts'
import type { TargetRules } from '../domain/outgoing-target.ts'
import type { Stores } from '../domain/stores.ts'
import type { Limits } from './rate-limit.ts'
import type { RequestHandlerParts } from './requests.ts'

/** What handlers need from the program. */
export type HandlerParts = {
  stores: Stores
  clock: ClockAndIds
  requestParts: RequestHandlerParts
  targets: TargetRules
  /** The audience of ID tokens, where a trust names none. */
  machineAudience: string
  takeDelivery: Limits['takeDelivery']
  authMode: string
  /** The setting MACHINE_TOKENS. */
  tokensAllowed: boolean
  /** Needed to create the first account. */
  setupCode: string
  devAllowPlaintext: boolean
  version: string
  /** Names of the stores that do not answer. */
  failingStores: () => Promise<string[]>
}
