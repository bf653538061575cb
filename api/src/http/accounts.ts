import { joinWithAccount } from '../domain/approvals/joining.ts'
import { changeProvidedUser } from '../domain/approvals/leaving.ts'
import { stampOf } from '../domain/base/stamp.ts'
import { logIn, setUpAccount } from '../domain/people/account.ts'
import { providedGroups } from '../domain/people/group.ts'
import { changeEmail, changePassword } from '../domain/people/own-account.ts'
import {
  addPasskey,
  changeSecondFactor,
  listPasskeys,
  logInWithPasskey,
  preparePasskey,
  removePasskey,
} from '../domain/people/passkey.ts'
import { ensureUser, recordSignOut } from '../domain/people/user.ts'
import { type Handlers, originOf, type Peer, Reply } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function accountHandlers({
  stores,
  clock,
  setupCode,
  requestParts,
  authMode,
  takeNewUser,
  usedToken,
  providedGroups: filled,
  signUp,
}: HandlerParts) {
  const arrivalOf = (peer: Peer) => ({ clock, origin: originOf(peer) })
  const parts = { ...stores, clock }
  return {
    getSetup: async () => ({ required: !(await stores.accounts.isSetUp()) }),
    joinWithAccount: ({ body, peer }) =>
      joinWithAccount({ ...requestParts, origin: originOf(peer) }, { ...body, ...usedToken(body.token) }),
    setUpAccount: ({ body, peer }) => setUpAccount({ ...stores, setupCode, arrival: arrivalOf(peer) }, body),
    changePassword: async ({ caller, body }) => ({
      ok: true,
      ...(await changePassword(parts, caller, body)),
    }),
    changeEmail: ({ caller, body }) => changeEmail(parts, caller, body),
    logIn: ({ body, peer }) => logIn(stores, body, arrivalOf(peer)),
    listPasskeys: ({ caller }) => listPasskeys(parts, caller),
    preparePasskey: ({ caller, body }) => preparePasskey(parts, caller, body),
    addPasskey: ({ caller, body: { name, passkey, ceremony } }) =>
      addPasskey(parts, caller, { name, passkey, ceremony: ceremonyOf(ceremony) }),
    renamePasskey: ({ caller, params, body }) =>
      stores.passkeys.rename({ id: params.passkey_id, ...body }, stampOf(caller, clock)),
    removePasskey: ({ caller, params, body }) =>
      removePasskey(parts, caller, { id: params.passkey_id, ...body }),
    changeSecondFactor: ({ caller, body }) => changeSecondFactor(parts, caller, body),
    logInWithPasskey({ body: { passkey, ceremony, user_id: userId }, peer }) {
      const use = { passkey, ceremony: ceremonyOf(ceremony), userId }
      return logInWithPasskey({ ...parts, origin: originOf(peer) }, use)
    },
    async ensureUser({ caller, body, peer }) {
      const profile = {
        idp_user_id: body.idp_user_id,
        email: body.email,
        email_verified: body.email_verified === true,
        email_as_of: canonical(body.as_of),
        auth_provider: authMode,
      }
      const unsigned = caller === 'layer' ? null : { takeNewUser: () => takeNewUser(peer.address) }
      const invitation = body.invitation && usedToken(body.invitation).token
      const arrived = { unsigned, invitation }
      const { epoch, ...home } = await ensureUser(
        { ...parts, signUp, origin: originOf(peer) },
        profile,
        arrived,
      )
      const ensured = caller === 'layer' && epoch > 0 ? { ...home, epoch } : home
      return ensured.created ? new Reply({ status: 201, body: ensured }) : ensured
    },
    async changeProvidedUser({ params, body, peer }) {
      const change = {
        ...(body.email === undefined ? {} : { email: providedEmail(body.email, body) }),
        ...(body.is_active === undefined ? {} : { isActive: body.is_active }),
        ...(body.groups && { groups: providedGroups(filled, body.groups) }),
      }
      await changeProvidedUser({ ...requestParts, origin: originOf(peer) }, params.idp_user_id, change)
    },
    recordSignOut: ({ params, body, peer }) =>
      recordSignOut({ ...parts, origin: originOf(peer) }, params.idp_user_id, body),
  } satisfies Partial<Handlers>
}

function ceremonyOf({ rp_id: rpId, ...rest }: { challenge: string; origin: string; rp_id: string }) {
  return { ...rest, rpId }
}

function providedEmail(
  address: string,
  body: { email_verified?: boolean | undefined; as_of?: string | undefined },
) {
  return { address, isVerified: body.email_verified === true, asOf: canonical(body.as_of) }
}

// Times are compared as text, so all of them have milliseconds.
function canonical(time: string | undefined): string | null {
  return time === undefined ? null : new Date(time).toISOString()
}
