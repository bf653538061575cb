import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** Unix socket addresses hold 104 bytes on some systems, 108 on others. */
const MAX_BYTES = 100

/** Choose the path of the socket that joins the two layers of one process: in the data folder, or in a new temporary
 * folder when the data folder's path is too long. The API removes the socket of a killed process, and its own at the
 * end.
 * @returns `remove` deletes the temporary folder, if there is one */
export function chooseSocketPath(dataDir: string): { path: string; remove: () => void } {
  const inDataDir = join(dataDir, 'api.sock')
  if (Buffer.byteLength(inDataDir) <= MAX_BYTES) return { path: inDataDir, remove: () => undefined }
  const path = join(mkdtempSync(join(tmpdir(), 'keyferry-')), 'api.sock')
  return { path, remove: () => rmSync(dirname(path), { recursive: true, force: true }) }
}
