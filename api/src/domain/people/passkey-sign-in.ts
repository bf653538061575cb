import { type Ceremony, verifyPasskeyUse } from '@keyferry/crypto/passkey'
import { timestamp } from '../base/clock-and-ids.ts'
import { DomainError } from '../base/errors.ts'
import type { Origin } from '../base/origin.ts'
import { momentOf } from '../base/stamp.ts'
import { type Account, requireUnlocked } from './account.ts'
import { type PasskeyParts, type StoredPasskey, userHandle } from './passkey.ts'
import { type Home, homeOf, type UserStore } from './user.ts'

type Response = Parameters<typeof verifyPasskeyUse>[0] & { response: { userHandle?: string | undefined } }

export type PasskeyUse = {
  passkey: Response
  ceremony: Ceremony
  /** Whose password was right a moment ago; null when the passkey is used alone, and must verify its user itself. */
  userId: string | null
}

/** Sign in with a passkey. Every refused passkey gets the same answer as a wrong password, and counts like one.
 * @throws DomainError unauthorized · account_locked · forbidden (inactive) */
export async function logInWithPasskey(
  parts: PasskeyParts & { users: UserStore; origin: Origin | null },
  use: PasskeyUse,
): Promise<Home> {
  const { accounts, passkeys, users, clock } = parts
  const stored = await passkeys.find(use.passkey.id)
  const account = stored && (await accounts.findById(stored.userId))
  if (!stored || !account || !isOf(account, use)) throw unauthorized()
  await requireUnlocked(accounts, account.email, clock)
  const counter = await counterAfter(stored, use)
  if (!(await passkeys.use(stored.id, counter, timestamp(clock)))) throw unauthorized()
  await accounts.forgetAttempts(account.email)
  await users.recordSignIn(`user_${account.id}`, momentOf(parts))
  return homeOf(users, account, parts)
}

function isOf({ id }: Account, { passkey, userId }: PasskeyUse): boolean {
  const told = passkey.response.userHandle
  return (userId === null || userId === id) && (told === undefined || told === userHandle(id))
}

async function counterAfter(passkey: StoredPasskey, use: PasskeyUse): Promise<number> {
  const requireUserVerification = use.userId === null
  const { ceremony } = use
  return verifyPasskeyUse(use.passkey, { ceremony, passkey, requireUserVerification }).catch(
    (cause: unknown) => {
      throw unauthorized(cause)
    },
  )
}

function unauthorized(cause?: unknown): DomainError {
  return new DomainError('unauthorized', 'Unauthorized', { cause })
}
