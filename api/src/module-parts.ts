import type { RootKeyRing } from '@keyferry/crypto/root-key'
import type { FailingSteps } from '@keyferry/plumbing/failing-steps'
import type { Gauges } from '@keyferry/plumbing/metrics'
import type { Logger } from 'pino'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import type { Caller, MembershipStore } from './domain/people/membership.ts'
import type { Handlers } from './http/handler.ts'
import type { Guard } from './outgoing/guard.ts'
import type { AfterSeal } from './storage/audit/sealing.ts'
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
  version: string
  /** How often to sweep; each module's own time when absent. */
  sweepSeconds: number | undefined
  /** How mails are sent; null: not at all. */
  mail: { url: string; from: string; publicUrl: string } | null
  memberships: MembershipStore
  /** How many requests and proposals wait for the decision of this person. */
  countWaiting: (caller: Caller) => Promise<number>
}

/** What an optional module gives to the API. */
export type ApiModule = {
  handlers: (parts: ModuleParts) => Partial<Handlers>
  /** Works in the background until `opened` ends. */
  start: (opened: AsyncDisposableStack, parts: ModuleParts) => void
  afterSeal: (
    parts: Pick<ModuleParts, 'mail'> & { database: Database; publicUrl: string | null },
  ) => AfterSeal
  gauges: (database: Database) => Gauges
}
