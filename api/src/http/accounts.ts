import { joinWithAccount, logIn, setUpAccount } from '../domain/people/account.ts'
import { changeEmail, changePassword } from '../domain/people/own-account.ts'
import { type Handlers, originOf, type Peer } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function accountHandlers({ stores, clock, setupCode }: HandlerParts) {
  const parts = { accounts: stores.accounts, clock }
  const arrivalOf = (peer: Peer) => ({ clock, origin: originOf(peer) })
  return {
    getSetup: async () => ({ required: !(await stores.accounts.isSetUp()) }),
    joinWithAccount: ({ body, peer }) => joinWithAccount(stores, body, arrivalOf(peer)),
    setUpAccount: ({ body, peer }) => setUpAccount({ ...stores, setupCode, arrival: arrivalOf(peer) }, body),
    changePassword: ({ caller, body }) => changePassword(parts, caller, body),
    changeEmail: ({ caller, body }) => changeEmail(parts, caller, body),
    logIn: ({ body, peer }) => logIn(stores, body, arrivalOf(peer)),
  } satisfies Partial<Handlers>
}
