import { addressesOf } from '@keyferry/plumbing/several-hosts'
import { Guard } from './outgoing/guard.ts'
import type { ApiSettings } from './settings.ts'

type GuardSettings = Pick<ApiSettings, 'databaseUrl' | 'redisUrl' | 'privateTargets' | 'egressProxy'>

/** The guard of all calls to other servers. */
export function guardOf({ databaseUrl, redisUrl, privateTargets, egressProxy: proxy }: GuardSettings): Guard {
  const stores = [databaseUrl, redisUrl].filter((url) => url !== null)
  const ownStores = stores.flatMap(addressesOf).flatMap(placeOf)
  return new Guard({ ownNetworks: privateTargets, ownStores, proxy })
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
