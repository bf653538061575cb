import type { DatabaseConnection, Driver } from 'kysely'
import { DomainError, unavailable } from '../../domain/base/errors.ts'

const guardedConnections = new WeakSet<DatabaseConnection>()

type Guards = {
  isUnavailable: (error: unknown) => boolean
  /** Checks what a connection returns. */
  macLayer: { guard(connection: DatabaseConnection): void }
}

/** The same driver; if the database is unavailable, it throws `unavailable` instead of the driver's error. */
export function guarded(driver: Driver, { isUnavailable, macLayer }: Guards): Driver {
  const acquire = driver.acquireConnection.bind(driver)
  driver.acquireConnection = async (options) => {
    const connection = await translated(() => acquire(options), isUnavailable)
    if (!guardedConnections.has(connection)) {
      guardConnection(connection, isUnavailable)
      macLayer.guard(connection)
    }
    return connection
  }
  for (const step of ['beginTransaction', 'commitTransaction'] as const) {
    const take = driver[step].bind(driver)
    driver[step] = (connection: DatabaseConnection) => translated(() => take(connection, {}), isUnavailable)
  }
  return driver
}

function guardConnection(connection: DatabaseConnection, isUnavailable: (error: unknown) => boolean): void {
  const execute = connection.executeQuery.bind(connection)
  connection.executeQuery = (query, options) => translated(() => execute(query, options), isUnavailable)
  guardedConnections.add(connection)
}

/** Do some work. @throws DomainError unavailable, if the database is; otherwise what `work` threw */
export async function translated<T>(
  work: () => Promise<T>,
  isUnavailable: (error: unknown) => boolean,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw !(error instanceof DomainError) && isUnavailable(error) ? unavailable('database', error) : error
  }
}
