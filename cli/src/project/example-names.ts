import { join } from 'node:path'
import { readSmallFile } from './small-file.ts'

export const EXAMPLE_FILE = '.env.example'

/** The names that a project lists in its `.env.example`: the first file in these folders. Empty without one. */
export async function exampleNames(folders: readonly string[]): Promise<readonly string[]> {
  for (const folder of folders) {
    const file = readSmallFile(join(folder, EXAMPLE_FILE))
    if (file === null) continue
    const { readImport } = await import('@keyferry/contract/env')
    return readImport(file.text, 'dotenv').entries.map(({ name }) => name)
  }
  return []
}

/** How names differ from those of the project, in words, one line for each point. */
export function differences(names: readonly string[], listed: readonly string[], what: string): string[] {
  const missing = listed.filter((name) => !names.includes(name))
  const extra = names.filter((name) => !listed.includes(name))
  return [
    ...(missing.length === 0 ? [] : [`in ${EXAMPLE_FILE}, but not ${what}: ${missing.join(', ')}`]),
    ...(extra.length === 0 ? [] : [`${what}, but not in ${EXAMPLE_FILE}: ${extra.join(', ')}`]),
  ]
}
