import type { DatabaseConnection, Driver } from 'kysely'
import { DomainError, unavailable } from '../../domain/base/errors.ts'

const guardedConnections = new WeakSet<DatabaseConnection>()

/** The same driver; if the database is unavailable, it throws `unavailable` instead of the driver's error. */
export function guarded(driver: Driver, isAway: (error: unknown) => boolean): Driver {
  const acquire = driver.acquireConnection.bind(driver)
  driver.acquireConnection = async (options) => {
    const connection = await translated(() => acquire(options), isAway)
    if (!guardedConnections.has(connection)) guardConnection(connection, isAway)
    return connection
  }
  for (const step of ['beginTransaction', 'commitTransaction'] as const) {
    const take = driver[step].bind(driver)
    driver[step] = (connection: DatabaseConnection) => translated(() => take(connection, {}), isAway)
  }
  return driver
}

function guardConnection(connection: DatabaseConnection, isAway: (error: unknown) => boolean): void {
  const execute = connection.executeQuery.bind(connection)
  connection.executeQuery = (query, options) => translated(() => execute(query, options), isAway)
  guardedConnections.add(connection)
}

/** Do some work. @throws DomainError unavailable, if the database is; otherwise what `work` threw */
export async function translated<T>(work: () => Promise<T>, isAway: (error: unknown) => boolean): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw !(error instanceof DomainError) && isAway(error) ? unavailable('database', error) : error
  }
}
