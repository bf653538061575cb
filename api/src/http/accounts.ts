import { joinWithAccount, logIn, setUpAccount } from '../domain/people/account.ts'
import { changeEmail, changePassword } from '../domain/people/own-account.ts'
import { type Handlers, originOf, type Peer } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type AccountEndpoint =
  | 'getSetup'
  | 'setUpAccount'
  | 'joinWithAccount'
  | 'logIn'
  | 'changePassword'
  | 'changeEmail'

export function accountHandlers({ stores, clock, setupCode }: HandlerParts): Pick<Handlers, AccountEndpoint> {
  const arrivalOf = (peer: Peer) => ({ clock, origin: originOf(peer) })
  return {
    async getSetup() {
      return { status: 200, body: { required: !(await stores.accounts.isSetUp()) } }
    },
    async joinWithAccount({ body, peer }) {
      return { status: 201, body: await joinWithAccount(stores, body, arrivalOf(peer)) }
    },
    async setUpAccount({ body, peer }) {
      const parts = { ...stores, setupCode, arrival: arrivalOf(peer) }
      return { status: 201, body: await setUpAccount(parts, body) }
    },
    async changePassword({ caller, body }) {
      await changePassword({ accounts: stores.accounts, clock }, caller, body)
      return { status: 200, body: { ok: true } }
    },
    async changeEmail({ caller, body }) {
      await changeEmail({ accounts: stores.accounts, clock }, caller, body)
      return { status: 200, body: { ok: true } }
    },
    async logIn({ body, peer }) {
      return { status: 200, body: await logIn(stores, body, arrivalOf(peer)) }
    },
  }
}
