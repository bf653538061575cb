import { usedToken } from '@keyferry/crypto/invitation-token'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { setupCode } from '@keyferry/crypto/setup-code'
import { type Handlers, originOf, type Peer } from '../http/handler.ts'
import type { ApiModule, ModuleParts } from '../module-parts.ts'
import { TenantKeys } from '../storage/keys-at-rest/tenant-keys.ts'
import { isSetUp, joinWithAccount, logIn, setUpAccount } from './storage/accounts.ts'
import { changeEmail, changePassword } from './storage/own-account.ts'
import {
  addPasskey,
  changeSecondFactor,
  listPasskeys,
  logInWithPasskey,
  preparePasskey,
  removePasskey,
  renamePasskey,
} from './storage/passkeys.ts'

export { resetPassword, setAccountActive } from './operating.ts'
export { rateLimits } from './rate-limits.ts'

export function handlers({ queries, ring, clock, stores, settings, ending }: ModuleParts) {
  const parts = { queries, tenantKeys: new TenantKeys(queries, ring), users: stores.users, clock }
  const code = setupCodeOf(settings, ring)
  const arriving = (peer: Peer) => ({ ...parts, origin: originOf(peer) })
  return {
    getSetup: async () => ({ required: !(await isSetUp(queries)) }),
    joinWithAccount: ({ body, peer }) =>
      joinWithAccount({ ...arriving(peer), ...ending, stores }, { ...body, ...usedToken(ring, body.token) }),
    setUpAccount: ({ body, peer }) => setUpAccount({ ...arriving(peer), setupCode: code }, body),
    changePassword: async ({ caller, body }) => ({
      ok: true,
      ...(await changePassword(parts, caller, body)),
    }),
    changeEmail: ({ caller, body }) => changeEmail(parts, caller, body),
    logIn: ({ body, peer }) => logIn(arriving(peer), body),
    listPasskeys: ({ caller }) => listPasskeys(parts, caller),
    preparePasskey: ({ caller, body }) => preparePasskey(parts, caller, body),
    addPasskey: ({ caller, body: { name, passkey, ceremony } }) =>
      addPasskey(parts, caller, { name, passkey, ceremony: ceremonyOf(ceremony) }),
    renamePasskey: ({ caller, params, body }) =>
      renamePasskey(parts, caller, { id: params.passkey_id, ...body }),
    removePasskey: ({ caller, params, body }) =>
      removePasskey(parts, caller, { id: params.passkey_id, ...body }),
    changeSecondFactor: ({ caller, body }) => changeSecondFactor(parts, caller, body),
    logInWithPasskey({ body: { passkey, ceremony, user_id: userId }, peer }) {
      const use = { passkey, ceremony: ceremonyOf(ceremony), userId }
      return logInWithPasskey(arriving(peer), use)
    },
  } satisfies Partial<Handlers>
}

function ceremonyOf({ rp_id: rpId, ...rest }: { challenge: string; origin: string; rp_id: string }) {
  return { ...rest, rpId }
}

/** The code that creates the first account. */
function setupCodeOf({ setupCode: given }: ModuleParts['settings'], { first }: RootKeyRing): string {
  return given ?? setupCode(first)
}

/** The set-up code, if there is no account yet and no setting gives the code. */
export const startNote: NonNullable<ApiModule['startNote']> = async ({ queries, ring, settings }) => {
  if (settings.authMode !== 'accounts' || settings.setupCode !== null) return null
  if (await isSetUp(queries)) return null
  return {
    secret: `set-up code: ${setupCodeOf(settings, ring)}`,
    advice: 'Create the first account at /set-up with the set-up code printed on stderr.',
  }
}

export const start: ApiModule['start'] = () => undefined
