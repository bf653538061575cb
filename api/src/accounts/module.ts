import { usedToken } from '@keyferry/crypto/invitation-token'
import type { RootKeyRing } from '@keyferry/crypto/root-key'
import { setupCode } from '@keyferry/crypto/setup-code'
import { stampOf } from '../domain/base/stamp.ts'
import { type Handlers, originOf, type Peer } from '../http/handler.ts'
import type { ApiModule, ModuleParts } from '../module-parts.ts'
import { TenantKeys } from '../storage/keys-at-rest/tenant-keys.ts'
import { joinWithAccount, logIn, setUpAccount } from './domain/account.ts'
import { changeEmail, changePassword } from './domain/own-account.ts'
import {
  addPasskey,
  changeSecondFactor,
  listPasskeys,
  logInWithPasskey,
  preparePasskey,
  removePasskey,
} from './domain/passkey.ts'
import { createAccountStore } from './storage/accounts.ts'
import { createPasskeyStore } from './storage/passkeys.ts'

export { resetPassword, setAccountActive } from './operating.ts'
export { rateLimits } from './rate-limits.ts'

export function handlers({ queries, ring, clock, stores, settings, ending }: ModuleParts) {
  const accounts = createAccountStore(queries, new TenantKeys(queries, ring))
  const passkeys = createPasskeyStore(queries)
  const parts = { users: stores.users, accounts, passkeys, clock }
  const code = setupCodeOf(settings, ring)
  const arrivalOf = (peer: Peer) => ({ clock, origin: originOf(peer) })
  return {
    getSetup: async () => ({ required: !(await accounts.isSetUp()) }),
    joinWithAccount: ({ body, peer }) =>
      joinWithAccount(
        { ...parts, ...ending, stores, origin: originOf(peer) },
        { ...body, ...usedToken(ring, body.token) },
      ),
    setUpAccount: ({ body, peer }) =>
      setUpAccount({ ...parts, setupCode: code, arrival: arrivalOf(peer) }, body),
    changePassword: async ({ caller, body }) => ({
      ok: true,
      ...(await changePassword(parts, caller, body)),
    }),
    changeEmail: ({ caller, body }) => changeEmail(parts, caller, body),
    logIn: ({ body, peer }) => logIn(parts, body, arrivalOf(peer)),
    listPasskeys: ({ caller }) => listPasskeys(parts, caller),
    preparePasskey: ({ caller, body }) => preparePasskey(parts, caller, body),
    addPasskey: ({ caller, body: { name, passkey, ceremony } }) =>
      addPasskey(parts, caller, { name, passkey, ceremony: ceremonyOf(ceremony) }),
    renamePasskey: ({ caller, params, body }) =>
      passkeys.rename({ id: params.passkey_id, ...body }, stampOf(caller, clock)),
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

/** The code that creates the first account. */
function setupCodeOf({ setupCode: given }: ModuleParts['settings'], { first }: RootKeyRing): string {
  return given ?? setupCode(first)
}

/** The set-up code, where there is no account yet, and no setting gives the code. */
export const startNote: NonNullable<ApiModule['startNote']> = async ({ queries, ring, settings }) => {
  if (settings.authMode !== 'accounts' || settings.setupCode !== null) return null
  if (await createAccountStore(queries, new TenantKeys(queries, ring)).isSetUp()) return null
  return {
    secret: `set-up code: ${setupCodeOf(settings, ring)}`,
    advice: 'Create the first account at /set-up with the set-up code printed on stderr.',
  }
}

export const start: ApiModule['start'] = () => undefined
