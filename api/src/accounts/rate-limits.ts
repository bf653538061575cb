import { ACCOUNT_RATES } from '@keyferry/contract/accounts'
import { hashToken } from '@keyferry/crypto/token'
import { z } from 'zod'
import { addressBlock } from '../domain/base/address-block.ts'
import { emailKey } from '../domain/base/email.ts'
import type { ApiModule } from '../module-parts.ts'

/** How often an address may try to sign in, or to create the first account. */
export const rateLimits = ((openCount) => {
  const open = (name: keyof typeof ACCOUNT_RATES) => openCount(name, ACCOUNT_RATES[name])
  const [ofPair, ofAddress] = [open('login'), open('loginOfAddress')]
  const [passkeyLogin, setup] = [open('passkeyLogin'), open('setup')]
  return {
    // Two limits: for an address with one e-mail, and for an address, from which many people may sign in.
    logIn: async ({ address }, body) => {
      const block = addressBlock(address)
      const wide = await ofAddress(block)
      return wide.allowed ? await ofPair(`${block} ${hashToken(emailKey(emailIn(body)))}`) : wide
    },
    logInWithPasskey: ({ address }) => passkeyLogin(addressBlock(address)),
    setUpAccount: ({ address }) => setup(addressBlock(address)),
  }
}) satisfies NonNullable<ApiModule['rateLimits']>

const Sent = z.object({ email: z.string() })

// A malformed body is refused later, by its schema.
function emailIn(body: Uint8Array): string {
  try {
    return Sent.parse(JSON.parse(Buffer.from(body).toString('utf8'))).email
  } catch {
    return ''
  }
}
