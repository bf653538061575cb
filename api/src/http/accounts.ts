import { logIn, setUpAccount } from '../domain/account.ts'
import type { Handlers } from './handler.ts'
import type { HandlerParts } from './handler-parts.ts'

export function accountHandlers({ stores, source }: HandlerParts): Pick<Handlers, 'setUpAccount' | 'logIn'> {
  return {
    async setUpAccount({ body }) {
      return { status: 201, body: await setUpAccount(stores, body, source) }
    },
    async logIn({ body }) {
      return { status: 200, body: await logIn(stores, body, source) }
    },
  }
}
