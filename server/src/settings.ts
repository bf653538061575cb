import { z } from 'zod'
import { SETTINGS, type Setting, type Settings } from './setting-table.ts'
import { StartError } from './start-error.ts'

const entries = Object.entries<Setting>(SETTINGS)
const shape = z.object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])))

/** Read all settings from the environment. An empty variable counts as unset.
 * @throws StartError naming the first invalid setting, never its value */
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
