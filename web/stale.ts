import { readdirSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Whether a built file is missing, or older than one of its sources: files, or folders without their `dist`. */
export function isStale(built: string, sources: readonly string[]): boolean {
  const builtMs = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return sources.flatMap(filesBelow).some((file) => statSync(file).mtimeMs > builtMs)
}

/** Build what is stale, and say so.
 * @param built a file that it makes; all paths begin at the root of the repository */
export async function buildIfStale(
  { built, sources, says }: { built: string; sources: readonly string[]; says: string },
  build: () => Promise<void>,
): Promise<void> {
  const [file = '', ...others] = [built, ...sources].map((place) => join(ROOT, place))
  if (!isStale(file, others)) return
  process.stdout.write(`${says} …\n`)
  await build()
}

function filesBelow(place: string): string[] {
  if (statSync(place).isFile()) return [place]
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.split(sep).includes('dist'))
    .map((entry) => join(entry.parentPath, entry.name))
}
