import { hashPassword } from '@keyferry/crypto/password'
import { randomToken } from '@keyferry/crypto/token'
import { type DatabaseSettings, withRecording } from '../maintenance.ts'
import { type OperatorSettings, removing } from '../operator-commands.ts'
import { ownerlessWithout } from '../storage/people/owners.ts'
import {
  type OperatedAccount,
  resetAccountPassword,
  setAccountActive as setActive,
} from './storage/accounts.ts'

/** Give a local account a new password, which its owner has to replace at the next sign-in, and remove its passkeys.
 * Only the password's hash is stored.
 * @returns null when there is no account of this e-mail */
export async function resetPassword(
  settings: DatabaseSettings,
  email: string,
): Promise<(OperatedAccount & { password: string }) | null> {
  const password = randomToken()
  const passwordHash = await hashPassword(password)
  return withRecording(settings, async ({ write }, { now }) => {
    const reset = await write((transaction) =>
      resetAccountPassword(transaction, { email, passwordHash, now }),
    )
    return reset && { ...reset, password }
  })
}

/** Enable or disable a local account, also while servers run. Disabling ends what the person approved and no client has
 * collected.
 * @returns null if no account has this e-mail */
export async function setAccountActive(
  settings: OperatorSettings,
  email: string,
  isActive: boolean,
): Promise<(OperatedAccount & { ownerless: Awaited<ReturnType<typeof ownerlessWithout>> }) | null> {
  return removing(settings, async (transaction, { now, endApprovalsOf }) => {
    const account = await setActive(transaction, { email, isActive, now })
    if (account !== null && !isActive) await endApprovalsOf(account.userId)
    return account && { ...account, ownerless: await ownerlessWithout(transaction, account.userId) }
  })
}
