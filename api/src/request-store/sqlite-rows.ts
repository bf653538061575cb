import { RELEASES, WhyNotCode } from '@keyferry/contract'
import type { Claim, Settled } from '../domain/request-store.ts'
import { AppliedDeposit, DepositApproval } from '../domain/stored-deposit.ts'
import {
  ApprovalRequest,
  FirstApproval,
  type Held,
  type StoredRequest,
  sealingIn,
} from '../domain/stored-request.ts'

const STATES = ['pending', 'held', 'applying', 'ready', 'claimed', 'denied', 'withdrawn'] as const

export type State = (typeof STATES)[number]

type Row = Record<string, unknown>

export function asState(value: unknown): State {
  const state = STATES.find((known) => known === value)
  if (state !== undefined) return state
  throw new Error(`unknown state of a request: ${String(value)}`)
}

/** What a caller learns whose change did not happen. */
export function asSettled(state: State | 'gone'): Exclude<Settled, 'done' | 'changed'> {
  return state === 'pending' || state === 'claimed' || state === 'applying' ? 'ready' : state
}

export function storedRequest(row: Row): StoredRequest {
  const state = asState(row['state'])
  return {
    request: ApprovalRequest.parse(JSON.parse(String(row['request']))),
    status: state === 'claimed' || state === 'applying' ? 'ready' : state,
    first: typeof row['first'] === 'string' ? FirstApproval.parse(JSON.parse(row['first'])) : null,
    held: state === 'held' ? heldOf(row) : null,
    returned: asWay(row['returned']),
    ...sealingIn(textOf(row['approval'])),
    deposit: typeof row['deposit'] === 'string' ? DepositApproval.parse(JSON.parse(row['deposit'])) : null,
    applyingUntilMs: state === 'applying' ? Number(row['release_until_ms']) : null,
    whyDenied: WhyNotCode.nullable().parse(row['why_denied']),
  }
}

export function claimed({ ciphertext, approval, applied }: Row): Claim {
  return {
    status: 'claimed',
    ciphertextBase64: typeof ciphertext === 'string' ? ciphertext : '',
    approval: sealingIn(textOf(approval)).approval,
    ...(typeof applied === 'string' ? { applied: AppliedDeposit.parse(JSON.parse(applied)) } : {}),
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}

function heldOf({ release_by, release_until_ms, approver_id }: Row): Held | null {
  const by = asWay(release_by)
  return by && { by, untilMs: Number(release_until_ms), approverId: String(approver_id) }
}

function asWay(value: unknown): Held['by'] | null {
  return RELEASES.find((way) => way === value) ?? null
}
