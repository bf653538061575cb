import { readdirSync, statSync } from 'node:fs'
import { join, sep } from 'node:path'

/** Whether a built file is missing, or older than one of its sources: files, or folders without their `dist`. */
export function isStale(built: string, sources: readonly string[]): boolean {
  const builtMs = statSync(built, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return sources.flatMap(filesBelow).some((file) => statSync(file).mtimeMs > builtMs)
}

function filesBelow(place: string): string[] {
  if (statSync(place).isFile()) return [place]
  return readdirSync(place, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.split(sep).includes('dist'))
    .map((entry) => join(entry.parentPath, entry.name))
}
