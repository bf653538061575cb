import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { StartError } from '../start-error.ts'
import { SETTINGS, type Setting, type Settings } from './setting-table.ts'

const entries = Object.entries<Setting>(SETTINGS)
const shape = z.object(Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])))
const inFiles = ['DATABASE_URL', 'REDIS_URL', 'BFF_SHARED_SECRET'] as const satisfies (keyof Settings)[]

/** Read all settings from the environment. An empty variable counts as unset.
 * @throws StartError naming the first invalid setting, never its value */
export function readSettings(environment: NodeJS.ProcessEnv = process.env): Settings {
  const files = Object.fromEntries(inFiles.map((name) => [name, textInFile(name, environment)]))
  const given = entries.map(([name]) => [
    name,
    (environment[name] ?? '') === '' ? files[name] : environment[name],
  ])
  for (const [name, text] of given) refuseStray(name ?? '', text)
  const result = shape.safeParse(Object.fromEntries(given))
  if (!result.success) throw new StartError(complaint(String(result.error.issues[0]?.path[0])))
  return result.data as Settings
}

/** Whether a file contains a setting that can change while the server runs. */
export function hasFiles(environment: NodeJS.ProcessEnv = process.env): boolean {
  return [...inFiles, 'ROOT_KEY'].some((name) => environment[`${name}_FILE`])
}

/** Read the settings that are in files again.
 * @throws StartError: one is missing or invalid, so all stay as they are */
export function refresh(settings: Settings): void {
  if (!hasFiles()) return
  const fresh = readSettings()
  Object.assign(settings, Object.fromEntries(inFiles.map((name) => [name, fresh[name]])))
}

/** An address as its file has it now, for a new connection. */
export function currentUrl(settings: Settings, name: 'DATABASE_URL' | 'REDIS_URL'): string | null {
  try {
    refresh(settings)
  } catch {
    // The address before it may still be good, and the connection says whether it is.
  }
  return settings[name] ?? null
}

/** Settings of several lines, whose ends and line breaks mean nothing. */
const SEVERAL_LINES = new Set<string>([
  'API_URL',
  'ALLOW_PRIVATE_TARGETS',
  'BFF_SHARED_SECRET',
  'CLERK_AUTHORIZED_PARTIES',
  'CLERK_JWT_KEY',
  'ROOT_KEY',
  'TRUST_PROXY',
] satisfies (keyof Settings)[])

// Trimming would hide what differs: people's ids, for example, are made from the issuer exactly as it is set.
function refuseStray(name: string, text = ''): void {
  if (/^(["']).*\1$/s.test(text))
    throw new StartError(`${name} is in quotes, which not every reader of env files removes: remove them`)
  const stray = SEVERAL_LINES.has(name) ? /[^\P{Cc}\s]/u : /^\s|\s$|\p{Cc}/u
  if (!stray.test(text)) return
  const people =
    name === 'OIDC_ISSUER' ? ' (people who signed in with it get new accounts: see docs/operations.md)' : ''
  throw new StartError(
    `${name} has a blank at an end, or a control character such as a line break: remove it${people}`,
  )
}

function textInFile(name: string, environment: NodeJS.ProcessEnv): string | undefined {
  const path = environment[`${name}_FILE`]
  if (!path) return undefined
  if (environment[name]) throw new StartError(`${name} and ${name}_FILE are both set: keep one`)
  try {
    return readFileSync(path, 'utf8').trim()
  } catch {
    throw new StartError(`${name}_FILE must be a file that this program can read`)
  }
}

function complaint(name: string): string {
  const setting = entries.find(([known]) => known === name)?.[1]
  return `${name} must be ${setting?.mustBe ?? 'valid'}`
}
