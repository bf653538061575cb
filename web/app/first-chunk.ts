import { resolve } from 'node:path'
import type { Rolldown } from 'vite'

type Modules = Pick<Rolldown.ChunkingContext, 'getModuleInfo'>

const ARRIVE = resolve(import.meta.dirname, 'arrive.html')

/** Puts the scripts that a page needs before it shows anything into one file: one file is smaller and comes faster than
 * many. What `arrive` needs is outside.
 * @param script the page's own file: `approve.tsx` */
export function firstChunk(script: string): Rolldown.CodeSplittingGroup {
  let first: ReadonlySet<string> | undefined
  const name = (id: string, modules: Modules) => {
    first ??= neededBy(resolve(import.meta.dirname, script), modules).difference(neededBy(ARRIVE, modules))
    return first.has(id) ? 'first' : null
  }
  return { name, debugName: 'first' }
}

function neededBy(id: string, modules: Modules, found = new Set<string>()): Set<string> {
  if (found.has(id)) return found
  found.add(id)
  for (const imported of modules.getModuleInfo(id)?.importedIds ?? []) neededBy(imported, modules, found)
  return found
}
