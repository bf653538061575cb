import {
  endedGrants,
  endSessions,
  type Maintenance,
  type Operated,
  withApi,
  withRequests,
} from '../maintenance.ts'
import { StartError } from '../start-error.ts'

export const commands = {
  'reset-password': {
    means:
      'give a local account (AUTH_MODE=accounts) a password for one sign-in, remove its passkeys and end its sessions',
    argument: 'EMAIL',
    run: withApi(async ({ api, database, settings }, email) => {
      const reset = await api.modules.accounts.resetPassword(database, email)
      if (reset === null) throw noAccount(email)
      const ended = await endSessions(settings, 'the account', [`user_${reset.userId}`])
      return `The new password is ${reset.password}\n${RESET_ADVICE}\n${ended}\n${endedGrants(reset)}`
    }),
  },
  'disable-account': {
    means: 'disable a local account (AUTH_MODE=accounts), and end its sessions and open approvals',
    argument: 'EMAIL',
    run: withApi(async (on, email) => {
      const account = await setActive(on, email, false)
      const sessions = await endSessions(on.settings, 'the account', [`user_${account.userId}`])
      const ended = `${sessions}\n${endedGrants(account)}\nApprovals that no terminal had collected are void.`
      const text = `The account is disabled.\n${ended}\nTo undo this: keyferry-server enable-account ${email}`
      const without = account.ownerless.map(
        ({ id, name }) =>
          `${JSON.stringify(name)} has no active owner: keyferry-server make-owner ${id} PERSON`,
      )
      return [text, ...without].join('\n')
    }),
  },
  'enable-account': {
    means: 'let a disabled local account sign in again',
    argument: 'EMAIL',
    run: withApi(async (on, email) => {
      await setActive(on, email, true)
      return 'The account is enabled.'
    }),
  },
} satisfies Record<string, Maintenance>

async function setActive(on: Operated, email: string, isActive: boolean) {
  const account = await on.api.modules.accounts.setAccountActive(withRequests(on), email, isActive)
  if (account === null) throw noAccount(email)
  return account
}

function noAccount(email: string): StartError {
  return new StartError(`no local account has the e-mail address ${JSON.stringify(email)}`)
}

const RESET_ADVICE = 'It is shown only once. The next sign-in with it asks for a new password.'
