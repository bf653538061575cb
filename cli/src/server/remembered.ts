import type { ASKS_AGAIN } from '@keyferry/contract'
import { refusedAnswer } from '../ground/cli-error.ts'
import { isObject } from '../ground/json-object.ts'

/** An approval that a person lets this terminal repeat. */
export type RememberedApproval = {
  /** Wall-clock time in milliseconds since 1970. */
  readonly expiresAtMs: number
  readonly usesLeft: number
}

export type AsksAgain = (typeof ASKS_AGAIN)[number] | 'unknown'

const REASONS: Readonly<Record<AsksAgain, string>> = {
  expired: 'the remembered approval has ended',
  used_up: 'the remembered approval was used as often as it may be',
  revoked: 'the remembered approval was revoked',
  forgotten: 'the remembered approval was forgotten',
  person_removed: 'the person who approved is no longer a member',
  role_changed: 'the role of the person who approved has changed',
  policy_changed: 'the rules for approvals have changed',
  signed_out: 'the person who approved signed out everywhere',
  other_command: 'this is another command than the one approved before',
  other_folder: 'this is another folder than the one approved before',
  other_agent: 'somebody else started this than the one approved before',
  other_keys: 'this asks for other keys than those approved before',
  bundle_changed: 'the bundle has other keys than those approved before',
  unknown: 'the remembered approval does not count here',
}

/** @throws CliError refused: malformed */
export function readRemembered(value: unknown): RememberedApproval | null {
  if (value === undefined) return null
  const { expires_at, uses_left } = isObject(value) ? value : {}
  const expiresAtMs = typeof expires_at === 'string' ? Date.parse(expires_at) : Number.NaN
  if (!Number.isNaN(expiresAtMs) && typeof uses_left === 'number') return { expiresAtMs, usesLeft: uses_left }
  throw refusedAnswer('the server sent a remembered approval without end and uses')
}

export function readAsksAgain(value: unknown): AsksAgain | null {
  if (value === undefined) return null
  return isReason(value) ? value : 'unknown'
}

function isReason(value: unknown): value is AsksAgain {
  return typeof value === 'string' && Object.hasOwn(REASONS, value)
}

/** Why the person is asked although an approval is remembered, in words. */
export function asksAgainText(reason: AsksAgain): string {
  return REASONS[reason]
}
