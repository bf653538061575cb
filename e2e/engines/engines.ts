import { hasPrograms } from '../../plumbing/test/programs.ts'
import { CHROMIUM } from './chromium.ts'
import type { Engine } from './engine.ts'
import { FIREFOX } from './firefox.ts'
import { WEBKIT } from './webkit.ts'

export const ENGINES: readonly Engine[] = [CHROMIUM, FIREFOX, WEBKIT]

/** Whether an engine is here. Where it must be (CI), a missing one is a failure instead of a skip. */
export function hasEngine({ programs }: Engine): boolean {
  return hasPrograms(...Object.values(programs))
}
