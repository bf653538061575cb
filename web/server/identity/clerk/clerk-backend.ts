import { z } from 'zod'
import { unavailable } from '../../http/refusal.ts'
import { providerFetch } from '../provider-fetch.ts'

const ClerkUser = z.object({
  primary_email_address_id: z.string().nullish(),
  email_addresses: z.array(
    z.object({
      id: z.string(),
      email_address: z.string(),
      verification: z.object({ status: z.string() }).nullish(),
    }),
  ),
})

/** An e-mail address, and whether the provider has verified it. */
export type ClerkEmail = { address: string; isVerified: boolean }

/** The primary e-mail address of a user as the provider's API and its webhook describe one; null when there is none. */
export function primaryEmail(user: unknown): ClerkEmail | null {
  const parsed = ClerkUser.safeParse(user)
  if (!parsed.success) return null
  const { primary_email_address_id: primary, email_addresses: addresses } = parsed.data
  const found = addresses.find(({ id }) => id === primary) ?? addresses[0]
  return found
    ? { address: found.email_address, isVerified: found.verification?.status === 'verified' }
    : null
}

/** The provider's API, which knows e-mail addresses and can end sessions at the provider. */
export class ClerkBackend {
  readonly #url: string
  readonly #secretKey: string | null

  constructor(url: string, secretKey: string | null) {
    this.#url = url
    this.#secretKey = secretKey
  }

  get canEndSessions(): boolean {
    return this.#secretKey !== null
  }

  /** @returns null if the provider knows none, or no secret key is set
   * @throws Refusal unavailable */
  async emailOf(subject: string): Promise<ClerkEmail | null> {
    if (this.#secretKey === null) return null
    return primaryEmail(await this.#call('GET', `/v1/users/${encodeURIComponent(subject)}`))
  }

  /** @throws Refusal unavailable */
  async endSession(sessionId: string): Promise<void> {
    if (this.#secretKey === null) return
    await this.#call('POST', `/v1/sessions/${encodeURIComponent(sessionId)}/revoke`)
  }

  async #call(method: string, path: string): Promise<unknown> {
    try {
      const headers = { authorization: `Bearer ${this.#secretKey}` }
      const answer = await providerFetch(this.#url + path, { method, headers })
      if (!answer.ok) throw new Error(`the provider answered ${answer.status}`)
      return await answer.json()
    } catch (cause) {
      throw unavailable('Identity provider', cause)
    }
  }
}
