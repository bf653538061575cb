import { addressesOf } from '@keyferry/plumbing/several-hosts'
import type { Logger } from 'pino'
import type { ClockAndIds } from './domain/base/clock-and-ids.ts'
import type { IdTokens } from './domain/machines/id-token.ts'
import { createIdTokens } from './federation/id-tokens.ts'
import { IssuerKeys } from './federation/issuer-keys.ts'
import { Guard } from './outgoing/guard.ts'
import type { ApiSettings } from './settings.ts'

/** What calls other servers: the guard of all such calls, and the issuers of ID tokens. */
export function outgoingOf(
  settings: ApiSettings,
  { clock, log }: { clock: ClockAndIds; log: Logger },
): { guard: Guard; idTokens: IdTokens } {
  const stores = [settings.databaseUrl, settings.redisUrl].filter((url) => url !== null)
  const ownStores = stores.flatMap(addressesOf).flatMap(placeOf)
  const { privateTargets: ownNetworks, egressProxy: proxy } = settings
  const guard = new Guard({ ownNetworks, ownStores, proxy })
  const issuerKeys = new IssuerKeys({ guard, nowMs: () => clock.now().getTime(), log })
  return { guard, idTokens: createIdTokens(issuerKeys, clock.now) }
}

const REDIS_PORT = 6379
const SENTINEL_PORT = 26379
const POSTGRES_PORT = 5432

/** Where a store listens, so that no call that an owner causes reaches it. */
function placeOf(address: string): { host: string; port: number }[] {
  const url = URL.parse(address)
  if (url === null || url.hostname === '') return []
  const host = url.hostname.replace(/^\[|\]$/g, '')
  const redis = url.protocol.includes('sentinel') ? SENTINEL_PORT : REDIS_PORT
  const usual = url.protocol.startsWith('redis') ? redis : POSTGRES_PORT
  return [{ host, port: url.port === '' ? usual : Number(url.port) }]
}
