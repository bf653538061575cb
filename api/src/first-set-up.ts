import { parseRootKey } from '@keyferry/crypto/root-key'
import { setupCode } from '@keyferry/crypto/setup-code'
import type { AccountStore } from './domain/people/account.ts'
import type { ApiSettings } from './settings.ts'

/** The code that creates the first account. */
export function setupCodeOf({ setupCode: given, rootKeys }: ApiSettings): string {
  return given ?? setupCode(parseRootKey(rootKeys[0]))
}

/** The code that the operator has to be told: there is no account yet, and no setting gives the code. */
export async function pendingSetupCode(
  settings: ApiSettings,
  accounts: AccountStore,
): Promise<string | null> {
  if (settings.authMode !== 'accounts' || settings.setupCode !== null) return null
  return (await accounts.isSetUp()) ? null : setupCodeOf(settings)
}
