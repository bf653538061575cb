import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Unix socket addresses hold 104 bytes on some systems, 108 on others. */
const MAX_BYTES = 100

/** Where the two layers of one process meet. A socket that a killed process left behind is taken away: the caller
 * holds the folder's lock, so nobody listens on it. */
export function freshSocketPath(dataDir: string): { path: string; remove: () => void } {
  const inDataDir = join(dataDir, 'api.sock')
  if (Buffer.byteLength(inDataDir) <= MAX_BYTES) {
    rmSync(inDataDir, { force: true })
    return { path: inDataDir, remove: () => rmSync(inDataDir, { force: true }) }
  }
  const path = join(mkdtempSync(join(tmpdir(), 'keyferry-')), 'api.sock')
  return { path, remove: () => rmSync(dirname(path), { recursive: true, force: true }) }
}
