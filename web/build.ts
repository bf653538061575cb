import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { build, type LogLevel } from 'vite'

const APP = join(import.meta.dirname, 'app')
const DIST = join(APP, 'dist')

/** Build the pages of each mode. What is built is stale until `index.html` is written, so that comes last. A server
 * that runs goes on with the files of the build before, which are removed at the end. */
export async function buildPages(logLevel: LogLevel, isWatching = false): Promise<void> {
  const beganAtMs = Date.now()
  for (const mode of ['approval', 'app'])
    await build({
      configFile: join(APP, 'vite.config.ts'),
      mode,
      logLevel,
      build: { watch: isWatching ? {} : null },
    })
  if (!isWatching) removeFilesBefore(beganAtMs)
}

function removeFilesBefore(timeMs: number): void {
  for (const entry of readdirSync(DIST, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && statSync(path).mtimeMs < timeMs) rmSync(path)
  }
}

if (import.meta.main) await buildPages('info', process.argv.includes('--watch'))
