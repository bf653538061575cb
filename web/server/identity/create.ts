import type { ApiConnection } from '../api-connection.ts'
import type { OriginRules } from '../same-origin.ts'
import type { WebSettings } from '../settings.ts'
import type { Identity } from './identity.ts'
import { localIdentity } from './local.ts'

export type IdentitySurroundings = {
  api: ApiConnection
  originRules: () => OriginRules
  /** Epoch milliseconds. */
  now: () => number
}

/** The identity strategy that AUTH_MODE names. */
export async function createIdentity(
  settings: WebSettings,
  { api }: IdentitySurroundings,
): Promise<Identity> {
  if (settings.identity.mode !== 'local')
    throw new Error(`AUTH_MODE ${settings.identity.mode} is not built in`)
  return localIdentity(api)
}
