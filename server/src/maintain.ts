import { resolve } from 'node:path'
import { AUDIT_COMMANDS } from './audit-commands.ts'
import { LIBRARY_COMMANDS } from './library-commands.ts'
import { type Maintenance, well } from './maintenance.ts'
import { databaseOf, placeOf } from './operated-database.ts'
import { lockFolder, ROOT_KEY_COMMANDS } from './root-key/root-key-commands.ts'
import type { Settings } from './setting-table.ts'
import { StartError } from './start-error.ts'

/** The commands that work on a database, by name. */
export const MAINTENANCE: Readonly<Record<string, Maintenance>> = {
  migrate: {
    means: 'update the database tables, then exit',
    async run(settings) {
      const { migrate } = await import('@keyferry/api')
      const names = await migrate(placeOf(settings))
      return well(names.length === 0 ? 'Nothing to migrate.' : `Migrated: ${names.join(', ')}.`)
    },
  },
  ...ROOT_KEY_COMMANDS,
  'rotate-receipt-key': {
    means: 'make a new key that signs receipts; clients accept it because the old key signs it',
    async run(settings) {
      const { makeReceiptKey } = await import('@keyferry/api')
      const kid = await makeReceiptKey(databaseOf(settings))
      return well(`The new receipt key is ${kid}. Restart the servers to sign with it.`)
    },
  },
  'rotate-deposit-key': {
    means: 'make a new key that clients seal deposits to; the key before it still opens them',
    async run(settings) {
      const { makeDepositKey } = await import('@keyferry/api')
      return well(`The new deposit key is ${await makeDepositKey(databaseOf(settings))}.`)
    },
  },
  verify: {
    means: 'decrypt every stored value and list those that fail',
    async run(settings) {
      const { verifyValues } = await import('@keyferry/api')
      const { checked, failures } = await verifyValues(databaseOf(settings))
      const lines = failures.map(
        ({ table, id, version, tenantId, problem }) =>
          `  ${table} ${id} version ${version} of ${tenantId}: ${problem}`,
      )
      const summary = `Checked ${checked} values: ${failures.length} cannot be decrypted.`
      return { text: [summary, ...lines].join('\n'), isWell: failures.length === 0 }
    },
  },
  ...AUDIT_COMMANDS,
  ...LIBRARY_COMMANDS,
  'reset-password': {
    means:
      'give a local account (AUTH_MODE=accounts) a password for one sign-in, remove its passkeys and end its sessions',
    argument: 'EMAIL',
    async run(settings, email) {
      const { resetPassword } = await import('@keyferry/api')
      const reset = await resetPassword(databaseOf(settings), email)
      if (reset === null) throw noAccount(email)
      const ended = await endSessions(settings, reset.userId)
      return well(`The new password is ${reset.password}\n${RESET_ADVICE}\n${ended}`)
    },
  },
  'disable-account': {
    means: 'let a local account (AUTH_MODE=accounts) do nothing more, and end its sessions',
    argument: 'EMAIL',
    async run(settings, email) {
      const ended = await endSessions(settings, await setActive(settings, email, false))
      return well(`The account is disabled.\n${ended}\nTo undo this: keyferry-server enable-account ${email}`)
    },
  },
  'enable-account': {
    means: 'let a disabled local account sign in again',
    argument: 'EMAIL',
    async run(settings, email) {
      await setActive(settings, email, true)
      return well('The account is enabled.')
    },
  },
  backup: {
    means: 'copy the SQLite database to a new file, also while servers run; the root key is not included',
    argument: 'FILE',
    async run(settings, file) {
      const { backupDatabase } = await import('@keyferry/api')
      await backupDatabase(databaseOf(settings), resolve(file))
      return well(`Backed up to ${resolve(file)}. The backup does not contain the root key.`)
    },
  },
  restore: {
    means: 'replace the SQLite database with a backup; the old database is kept beside it',
    argument: 'FILE',
    async run(settings, file) {
      const unlock = lockFolder(settings)
      try {
        const { restoreDatabase } = await import('@keyferry/api')
        const kept = await restoreDatabase(databaseOf(settings), resolve(file))
        return well(
          `Restored from ${resolve(file)}.${kept === null ? '' : ` The old database is kept as ${kept}.`}`,
        )
      } finally {
        unlock()
      }
    },
  },
}

async function setActive(settings: Settings, email: string, isActive: boolean): Promise<string> {
  const { setAccountActive } = await import('@keyferry/api')
  const userId = await setAccountActive(databaseOf(settings), email, isActive)
  if (userId === null) throw noAccount(email)
  return userId
}

function noAccount(email: string): StartError {
  return new StartError(`no local account has the e-mail address ${JSON.stringify(email)}`)
}

const RESET_ADVICE = 'It is shown only once. The next sign-in with it asks for a new password.'

async function endSessions(settings: Settings, userId: string): Promise<string> {
  const { endSessionsOfAccount } = await import('@keyferry/web')
  const place = { redisUrl: settings.REDIS_URL ?? null, dataDir: resolve(settings.DATA_DIR) }
  return (await endSessionsOfAccount(place, userId))
    ? 'All sessions of the account ended.'
    : 'No session store found: to end open sessions, run this with the REDIS_URL or DATA_DIR of the web nodes.'
}
