import { hashPassword } from '@keyferry/crypto/password'
import { randomToken } from '@keyferry/crypto/token'
import { madeByOperator } from '../domain/base/event.ts'
import { type DatabaseSettings, withRecording } from '../maintenance.ts'
import { type OperatorSettings, removing } from '../operator-commands.ts'
import { flag } from '../storage/base/tables.ts'
import { endCredentials } from '../storage/people/credential-ends.ts'
import { ownerlessWithout } from '../storage/people/owners.ts'
import { applyActive, recordOfUser } from '../storage/people/user-events.ts'
import { accountRow, setPassword } from './storage/account-rows.ts'
import { removePasskeys } from './storage/credentials.ts'
import { forgetAttempts } from './storage/login-attempts.ts'

/** Give a local account a new password, remove its passkeys, and end a lock. The person has to replace the password at
 * the next sign-in. Only its hash is stored.
 * @returns null if no account has this e-mail. `remembered`: how many remembered approvals ended */
export async function resetPassword(
  settings: DatabaseSettings,
  email: string,
): Promise<{ userId: string; remembered: number; password: string } | null> {
  const password = randomToken()
  const passwordHash = await hashPassword(password)
  return withRecording(settings, ({ write }, { now }) =>
    write(async (transaction) => {
      const row = await accountRow(transaction, { email }).select('id').executeTakeFirst()
      if (!row) return null
      const { id: userId } = row
      await setPassword(transaction, userId, { passwordHash, mustChange: true, at: now })
      await removePasskeys(transaction, userId)
      await forgetAttempts(transaction, email)
      const made = madeByOperator(now)
      await recordOfUser(transaction, userId, { action: 'user.password_reset', ...made })
      return { userId, remembered: await endCredentials(transaction, userId, made), password }
    }),
  )
}

/** Enable or disable a local account, also while servers run. Disabling it ends its approvals that no client has
 * collected.
 * @returns null if no account has this e-mail */
export async function setAccountActive(settings: OperatorSettings, email: string, isActive: boolean) {
  return removing(settings, async (transaction, { now, endApprovalsOf }) => {
    const row = await accountRow(transaction, { email }).select(['id', 'is_active']).executeTakeFirst()
    if (!row) return null
    const { id: userId, is_active } = row
    const change = { isActive, ...madeByOperator(now) }
    const changes = flag(isActive) !== is_active
    const remembered = changes ? await applyActive(transaction, userId, change) : 0
    if (!isActive) await endApprovalsOf(userId)
    return { userId, remembered, ownerless: await ownerlessWithout(transaction, userId) }
  })
}
