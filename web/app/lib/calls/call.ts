import {
  type AnswerOf,
  type CallExtras,
  type CallInput,
  type CallName,
  createNamedClient,
} from '@keyferry/contract/client'
import { fetchTimed } from './api.ts'
import { goingOn } from './session-loss.ts'
import { signedWhereNeeded } from './touch.ts'

/** The endpoints that the app can call. */
export type Called = CallName

/** The path of an endpoint: `/api/v1/keys/{key_id}`. */
export const pathOf = (name: Called): string => ADDRESSES[name].replace(/^\w+ /, '')

const send = createNamedClient<Called>(ADDRESSES, fetchTimed)

/** Calls an endpoint by its name: `call('getKey', { key_id })`. While something on the page is not saved, a call whose
 * session has ended waits for the person to sign in again, and goes on. A call that has to be signed asks for that. */
export function call<N extends Called>(
  name: N,
  input: CallInput<N>,
  extras: CallExtras = {},
): Promise<AnswerOf<N>> {
  if (isUnasked(name)) return send(name, input, extras)
  const run = (headers: object) =>
    send(name, input, { ...extras, headers: { ...extras.headers, ...headers } })
  return goingOn(() => signedWhereNeeded({ act: name, input }, run))
}

// Nobody asked for the number in the frame, so it takes nobody away from what they do.
export const isUnasked = (name: unknown): boolean => name === 'listWaiting'
