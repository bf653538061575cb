import { joinWithAccount, logIn, setUpAccount } from '../domain/account.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

type AccountEndpoint = 'getSetup' | 'setUpAccount' | 'joinWithAccount' | 'logIn'

export function accountHandlers({ stores, clock, setupCode }: HandlerParts): Pick<Handlers, AccountEndpoint> {
  return {
    async getSetup() {
      return { status: 200, body: { required: !(await stores.accounts.isSetUp()) } }
    },
    async joinWithAccount({ body }) {
      return { status: 201, body: await joinWithAccount(stores, body, clock) }
    },
    async setUpAccount({ body }) {
      return { status: 201, body: await setUpAccount({ ...stores, setupCode, clock }, body) }
    },
    async logIn({ body }) {
      return { status: 200, body: await logIn(stores, body, clock) }
    },
  }
}
