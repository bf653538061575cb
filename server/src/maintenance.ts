import { resolve } from 'node:path'
import type { DatabaseSettings } from '@keyferry/api'
import { databaseOf } from './operated-database.ts'
import type { Settings } from './settings/setting-table.ts'

/** What a command on a database works with. */
export type Operated = {
  readonly settings: Settings
  readonly api: typeof import('@keyferry/api')
  /** @throws StartError: there is no root key */
  readonly database: DatabaseSettings
}

type MaintenanceWork<On> = (
  on: On,
  argument: string,
  print: (text: string) => void,
) => Promise<string | MaintenanceOutcome>

/** Work that needs the API, which takes a while to load. */
export function withApi(work: MaintenanceWork<Operated>): MaintenanceWork<Settings> {
  return async (settings, argument, print) => {
    const api = await import('@keyferry/api')
    const on = {
      settings,
      api,
      get database() {
        return databaseOf(settings)
      },
    }
    return await work(on, argument, print)
  }
}

/** `next`: the next step, printed to stderr. */
type MaintenanceOutcome = { text: string; isWell: boolean; next?: string }

/** One command for the operator of a database. */
export type Maintenance = {
  readonly means: string
  /** The name of its argument in the usage, when it takes one; in brackets when it may be left out. With `…` it takes
   * several, separated by spaces. */
  readonly argument?: string
  /** The argument is the value of this option. */
  readonly option?: 'to' | 'recipients'
  /** @param argument empty when none is given
   * @param print writes to standard output at once
   * @returns the text to print at the end, and whether everything is in order. A plain text means that all is well. */
  readonly run: MaintenanceWork<Settings>
}

/** The database, and where servers learn of changed requests. */
export function withRequests({ database, settings }: Operated) {
  return { ...database, redisUrl: settings.REDIS_URL ?? null }
}

/** End the sessions of these ways to sign in, of `whose`. @returns what happened, for the operator */
export async function endSessions(
  settings: Settings,
  whose: string,
  idpUserIds: readonly string[],
): Promise<string> {
  if (settings.AUTH_MODE === 'clerk')
    return `Clerk keeps the sessions of ${whose}: end them there, and then restart every web node. Until then they go on.`
  const { endSessionsOf } = await import('@keyferry/web')
  const place = { redisUrl: settings.REDIS_URL ?? null, dataDir: resolve(settings.DATA_DIR) }
  return (await endSessionsOf(place, idpUserIds))
    ? `All sessions of ${whose} ended.`
    : 'No session store found: to end open sessions, run this with the REDIS_URL or DATA_DIR of the web nodes.'
}

/** How many remembered approvals ended, for the operator. */
export function endedGrants({ remembered }: { remembered: number }): string {
  return `Remembered approvals that ended: ${remembered}.`
}

/** Where deleted data remains after a command, for the operator. */
export function whatRemains({ databaseUrl }: Pick<DatabaseSettings, 'databaseUrl'>): string {
  const files =
    databaseUrl === null
      ? 'The database file and its write-ahead log no longer hold the deleted data.'
      : 'PostgreSQL keeps deleted rows in its files and its WAL until it reuses the space.'
  return `${files} Backups still hold it: delete them.`
}
