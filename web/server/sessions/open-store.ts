import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { SessionStore, SessionTimes } from './session-store.ts'

/** Where sessions are stored: in Redis, or in a file of the data folder if `redisUrl` is null. */
export type SessionPlace = { redisUrl: string | null; dataDir: string }

type OpenOptions = {
  /** Epoch milliseconds. */
  now: () => number
  /** Gets every lost connection, for the log. */
  onError: (error: Error) => void
  /** The interface's times when absent. */
  times?: SessionTimes
}

export async function openSessionStore(
  place: SessionPlace,
  { now, onError, times }: OpenOptions,
): Promise<SessionStore> {
  if (place.redisUrl !== null) {
    const { openRedisSessionStore } = await import('./redis-store.ts')
    return await openRedisSessionStore(() => place.redisUrl ?? '', onError, times)
  }
  const { openSqliteSessionStore } = await import('./sqlite-store.ts')
  return openSqliteSessionStore({ path: fileIn(place.dataDir), now, ...(times && { times }) })
}

/** End all sessions of a person, by the ids that ensure-user has, also while servers run.
 * @returns false if there is no session store here */
export async function endSessionsOf(place: SessionPlace, idpUserIds: readonly string[]): Promise<boolean> {
  if (place.redisUrl === null && !existsSync(fileIn(place.dataDir))) return false
  const store = await openSessionStore(place, { now: Date.now, onError: () => undefined })
  try {
    await Promise.all(idpUserIds.map((idpUserId) => store.removeAll({ idpUserId })))
    return true
  } finally {
    await store.close()
  }
}

function fileIn(dataDir: string): string {
  return join(dataDir, 'sessions.db')
}
