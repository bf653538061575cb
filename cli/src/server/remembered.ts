import type { ASKS_AGAIN } from '@keyferry/contract'
import { refusedAnswer } from '../base/cli-error.ts'
import type { PendingRequest } from '../base/pending-request.ts'
import { number, object, optional, or, read, time, where } from '../base/shape.ts'

type WhyNotRemembered = (typeof ASKS_AGAIN)[number] | 'unknown'

const REASONS: Readonly<Record<WhyNotRemembered, string>> = {
  expired: 'the remembered approval has expired',
  used_up: 'the remembered approval has no uses left',
  revoked: 'the remembered approval was revoked',
  forgotten: 'the remembered approval was forgotten',
  person_removed: 'the person who approved is no longer a member',
  role_changed: 'the role of the person who approved has changed',
  policy_changed: 'the rules for approvals have changed',
  signed_out: 'the person who approved signed out everywhere, or changed how they sign in',
  other_command: 'the command differs from the approved one',
  other_folder: 'the folder differs from the approved one',
  other_agent: 'another person or AI agent started the command',
  other_keys: 'the requested keys differ from the approved ones',
  bundle_changed: 'the keys of the bundle have changed',
  unknown: 'the remembered approval is not valid for this request',
}

const incomplete = () => refusedAnswer('the server sent a remembered approval without end and uses')
const REMEMBERED = object({ expiresAt: time, usesLeft: number })

/** @throws CliError refused: malformed */
export function readRemembered(value: unknown): PendingRequest['remembered'] {
  const found = read(value, optional(REMEMBERED, null), incomplete)
  return found === null ? null : { expiresAtMs: found.expiresAt, usesLeft: found.usesLeft }
}

/** Why a person is asked although an approval is remembered, in words; null: none is. */
export function readWhyNotRemembered(value: unknown): string | null {
  return value === undefined ? null : REASONS[reason(value)]
}

const isReason = (value: unknown): value is WhyNotRemembered =>
  typeof value === 'string' && Object.hasOwn(REASONS, value)
const reason = or(where(isReason), 'unknown' as const)
