import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { FailingSteps } from '@keyferry/plumbing/failing-steps'
import type { Gauges } from '@keyferry/plumbing/metrics'
import type { Logger } from 'pino'
import type { LeavingParts } from './domain/approvals/leaving.ts'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import type { Watchers } from './domain/collection/changed-values.ts'
import type { Caller } from './domain/people/membership.ts'
import type { WaitingRoom } from './domain/requests/waiting-room.ts'
import type { Stores } from './domain/stores.ts'
import type { Handlers, RateLimits } from './http/handler.ts'
import type { ProgramCalls } from './http/pipeline.ts'
import type { Limits } from './http/rate-limit.ts'
import type { Guard } from './outgoing/guard.ts'
import type { ApiSettings } from './settings.ts'
import type { AfterAppend } from './storage/audit/appending.ts'
import type { Database, Queries } from './storage/base/queries.ts'

/** What an optional module gets from the program. */
export type ModuleParts = {
  queries: Queries
  ring: RootKeyRing
  guard: Guard
  /** Where work in the background reports that it fails. */
  steps: FailingSteps
  clock: ClockAndIds
  log: Logger
  /** How often to sweep; each module's own time when absent. */
  sweepSeconds: number | undefined
  stores: Stores
  settings: Omit<ApiSettings, 'sharedSecrets' | 'rootKeys' | 'databaseUrl' | 'redisUrl'>
  openLimit: Limits['openLimit']
  /** What it takes to end a person's approvals; its clock is shared by all nodes. */
  ending: LeavingParts
  changeRoom: WaitingRoom
  watchers: Watchers
  /** How many requests and proposals wait for the decision of this person. */
  countWaiting: (caller: Caller) => Promise<number>
}

/** What the operator needs once the server listens. `secret` is for stderr only. */
export type StartNote = { secret: string; advice: string }

/** What an optional module gives to the API. */
export type ApiModule = {
  handlers: (parts: ModuleParts) => Partial<Handlers>
  /** Works in the background until `opened` ends. */
  start: (opened: AsyncDisposableStack, parts: ModuleParts) => void
  afterAppend?: (parts: Pick<ModuleParts, 'settings'> & { database: Database }) => AfterAppend
  /** Limits of its endpoints that count before anything else is checked. */
  rateLimits?: (openCount: Limits['openCount']) => RateLimits
  startNote?: (parts: ModuleParts) => Promise<StartNote | null>
  gauges?: (database: Database) => Gauges
  /** Programs that call with a bearer token; their work in the background ends with `opened`. */
  programCalls?: (opened: AsyncDisposableStack, parts: ModuleParts) => ProgramCalls
}
