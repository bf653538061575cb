import type { ReactNode } from 'react'
import type { ApprovalAnswer } from '../../lib/calls/answers.ts'
import type { Failure } from '../../lib/calls/failure.ts'
import type { Loaded } from './loaded.tsx'
import type { inWorkspace, PlaceName } from './place/place.ts'
import type { Reasons } from './request/reason-facts.tsx'
import type { Choice } from './request-state.ts'
import type { Demands } from './return-plan.ts'

/** What every approval sends besides its choice; only a delivery can be remembered. */
export type Manner = {
  user_code?: string
  release?: 'loopback' | 'code'
  remember_hours?: number
  remember_for?: 'repository' | 'task'
  also?: string[]
  later?: true
}

/** What Approve does: its label, and how many of what it approves. `name`: of the bundle or the workspace; null until
 * it is known. */
export type Action = { label: string; count: number; thing: string; name: string | null; note?: string }

/** What one kind of request offers to approve. The decision page shows it, asks, and sends it. */
export type ApprovalOffer = {
  phase: Loaded<unknown>['phase']
  /** What the rules demand; null until they have loaded. */
  rules: Demands | null
  /** The chosen bundle; null also where the person chooses none. */
  bundle: PlaceName | null
  /** What can be chosen instead of the bundle. */
  choice?: ReactNode
  content: ReactNode
  /** Who else decides, and what else happens. */
  notices?: ReactNode
  /** The bundles of production that the approval concerns. */
  production?: readonly string[]
  /** Why the choice is dangerous, besides the dangers of every request. */
  dangers?: Reasons['dangers']
  /** Null: there is nothing to approve. */
  action: Action | null
  /** Why the choice cannot be approved as it is. */
  problem?: string | null
  /** Reasons to ask once more, besides those that every request can have. */
  doubts: readonly ReactNode[]
  /** What Approve sends; null until it has loaded. */
  approval: OfferApproval | null
  /** Null: the rules refuse nothing, or everything that is chosen. */
  leaveOut?: LeavingOut | null
  /** Reloads what the rules demand and which commands wait. */
  reload?: () => void
  /** Whether a failure of the approval is dealt with. */
  onFailure?: (failure: Failure) => boolean
}

/** How many of the chosen the rules refuse, and what takes them out of the choice. */
export type LeavingOut = { count: number; act: () => void }

/** `kind`: absent for that of the request. `plan`: which plan of a deposit it carries out. */
export type OfferApproval = Pick<Choice, 'bundle' | 'keys'> & {
  kind?: Choice['kind']
  plan?: string
  send: (
    request: Manner & { request_id: string },
    options: ReturnType<typeof inWorkspace>,
  ) => Promise<ApprovalAnswer>
}
