import type { Endpoint } from '@keyferry/contract'
import { z } from 'zod'
import { approvalKeyOf, needsTouchToRemove } from '../domain/people/approval-key-changes.ts'
import type { Caller } from '../domain/people/membership.ts'
import { requireTouch, type TouchedAct, type TouchParts } from '../domain/people/touch.ts'

const KeyParams = z.object({ key_id: z.string() })

/** A call of a person, admitted and with a valid body. `given`: its header `Keyferry-Touch`. */
type TouchableCall = {
  act: string
  touch: NonNullable<Endpoint['touch']>
  caller: Caller
  params: unknown
  sent: Pick<TouchedAct, 'method' | 'path' | 'body'>
  given: string | undefined
}

/** Refuses a call that lacks the touch that it needs.
 * @throws DomainError touch_required · touch_refused · changed · conflict · too_many · not_found */
export type TouchGuard = (call: TouchableCall) => Promise<void>

/** One place for all rows, after the caller was admitted and the body was checked, before the handler. */
export function touchGuard(parts: TouchParts): TouchGuard {
  return async ({ given, sent, ...call }) => {
    const concerns = await concernsOf(parts, call)
    if (concerns === null) return
    await requireTouch(parts, call.caller, { act: { act: call.act, ...sent, concerns }, given })
  }
}

/** The facts that a call is about; null: it needs no touch. */
async function concernsOf(
  parts: TouchParts,
  { act, touch, caller, params }: Pick<TouchableCall, 'act' | 'touch' | 'caller' | 'params'>,
): Promise<TouchedAct['concerns'] | null> {
  if (touch !== 'approval_key') return null
  const key = await approvalKeyOf(parts, caller, KeyParams.parse(params).key_id)
  if (act === 'removeApprovalKey' && !needsTouchToRemove(key, parts)) return null
  const { id, userId: person, username: name, credentialId, publicKey, isSynced: synced } = key
  const keyFacts = { credential_id: credentialId, public_key: Buffer.from(publicKey).toString('base64') }
  return { approval_key: { id, person, name, ...keyFacts, synced } }
}
