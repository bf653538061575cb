import { z } from 'zod'
import { SETTINGS, type Setting, type Settings } from './setting-table.ts'
import { StartError } from './start-error.ts'

const entries = Object.entries<Setting>(SETTINGS)
const shape = z.object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])))

/** Read every setting from the environment. A variable that is empty counts as not set.
 * @throws StartError naming the first wrong one; never its value */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const given = entries.map(([name]) => [name, environment[name] === '' ? undefined : environment[name]])
  const result = shape.safeParse(Object.fromEntries(given))
  if (!result.success) throw new StartError(complaint(String(result.error.issues[0]?.path[0])))
  return result.data as Settings
}

function complaint(name: string): string {
  const setting = entries.find(([known]) => known === name)?.[1]
  return `${name} must be ${setting?.mustBe ?? 'valid'}`
}
