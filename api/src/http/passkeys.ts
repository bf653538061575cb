import {
  addPasskey,
  changeSecondFactor,
  listPasskeys,
  preparePasskey,
  removePasskey,
  renamePasskey,
} from '../domain/people/passkey.ts'
import { logInWithPasskey } from '../domain/people/passkey-sign-in.ts'
import { type Handlers, originOf } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function passkeyHandlers({ stores, clock }: HandlerParts) {
  const parts = { ...stores, clock }
  return {
    listPasskeys: ({ caller }) => listPasskeys(parts, caller),
    preparePasskey: ({ caller, body }) => preparePasskey(parts, caller, body),
    addPasskey: ({ caller, body: { name, passkey, ceremony } }) =>
      addPasskey(parts, caller, { name, passkey, ceremony: ceremonyOf(ceremony) }),
    renamePasskey: ({ caller, params, body: { name } }) =>
      renamePasskey(parts, caller, { id: params.passkey_id, name }),
    removePasskey: ({ caller, params, body }) =>
      removePasskey(parts, caller, { id: params.passkey_id, ...body }),
    changeSecondFactor: ({ caller, body }) => changeSecondFactor(parts, caller, body),
    logInWithPasskey({ body: { passkey, ceremony, user_id: userId }, peer }) {
      const use = { passkey, ceremony: ceremonyOf(ceremony), userId }
      return logInWithPasskey({ ...parts, origin: originOf(peer) }, use)
    },
  } satisfies Partial<Handlers>
}

function ceremonyOf({ rp_id: rpId, ...rest }: { challenge: string; origin: string; rp_id: string }) {
  return { ...rest, rpId }
}
