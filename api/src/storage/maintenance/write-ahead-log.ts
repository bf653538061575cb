import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

const ATTEMPTS = 100
const BUSY_TIMEOUT_MS = 200
const PAUSE_MS = 100

/** Empty the write-ahead log of a SQLite file, which contains what was deleted or replaced, also while servers run.
 * @throws Error with one line for the operator: others used the log at each attempt */
export async function emptyLog(path: string): Promise<void> {
  using file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS })
  const checkpoint = file.prepare('pragma wal_checkpoint(truncate)')
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (checkpoint.get()?.['busy'] === 0) return
    await sleep(PAUSE_MS)
  }
  throw new Error(`${path}-wal still holds what was deleted, because others use it: run this command again`)
}
