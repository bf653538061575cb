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

type PasskeyEndpoint =
  | 'listPasskeys'
  | 'preparePasskey'
  | 'addPasskey'
  | 'renamePasskey'
  | 'removePasskey'
  | 'changeSecondFactor'
  | 'logInWithPasskey'

export function passkeyHandlers({ stores, clock }: HandlerParts): Pick<Handlers, PasskeyEndpoint> {
  const parts = { ...stores, clock }
  return {
    async listPasskeys({ caller }) {
      return { status: 200, body: await listPasskeys(parts, caller) }
    },
    async preparePasskey({ caller, body }) {
      return { status: 200, body: await preparePasskey(parts, caller, body) }
    },
    async addPasskey({ caller, body: { name, passkey, ceremony } }) {
      const made = { name, passkey, ceremony: ceremonyOf(ceremony) }
      return { status: 201, body: await addPasskey(parts, caller, made) }
    },
    async renamePasskey({ caller, params, body: { name } }) {
      return { status: 200, body: await renamePasskey(parts, caller, { id: params.passkey_id, name }) }
    },
    async removePasskey({ caller, params, body }) {
      await removePasskey(parts, caller, { id: params.passkey_id, ...body })
      return { status: 200, body: { ok: true } }
    },
    async changeSecondFactor({ caller, body }) {
      await changeSecondFactor(parts, caller, body)
      return { status: 200, body: { ok: true } }
    },
    async logInWithPasskey({ body: { passkey, ceremony, user_id: userId }, peer }) {
      const use = { passkey, ceremony: ceremonyOf(ceremony), userId }
      return { status: 200, body: await logInWithPasskey({ ...parts, origin: originOf(peer) }, use) }
    },
  }
}

function ceremonyOf({ rp_id: rpId, ...rest }: { challenge: string; origin: string; rp_id: string }) {
  return { ...rest, rpId }
}
