import { parseArgs } from 'node:util'
import manifest from '../package.json' with { type: 'json' }
import { announcement } from './announce.ts'
import { failureLine } from './failure-line.ts'
import { helpText } from './help.ts'
import type { Role } from './safe-start.ts'
import type { Settings } from './setting-table.ts'
import { readSettings } from './settings.ts'
import { stopOnSignal } from './stop-on-signal.ts'

const { version } = manifest
const USAGE_ERROR = 2
const OWNER_ONLY = 0o077

const ROLES: Readonly<Record<string, Role>> = { '': 'all', api: 'api', web: 'web' }

/** Run the program with the words after its name. */
export async function main(words: readonly string[]): Promise<void> {
  const line = parseCommandLine(words)
  if (!line) return refuseUsage(words)
  if (line.help) return say(helpText())
  if (line.version) return say(`${version}\n`)
  process.umask(OWNER_ONLY)
  await serve(line.role)
}

type CommandLine = { role: Role; help: boolean; version: boolean }

function parseCommandLine(words: readonly string[]): CommandLine | null {
  try {
    const options = { help: { type: 'boolean', short: 'h' }, version: { type: 'boolean' } } as const
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const role = ROLES[positionals.join(' ')]
    return role ? { role, help: values.help === true, version: values.version === true } : null
  } catch {
    return null
  }
}

async function serve(role: Role): Promise<void> {
  let settings: Settings | null = null
  try {
    settings = readSettings()
    const { start } = await import('./start.ts')
    const running = await start(role, settings, { version })
    stopOnSignal(running.stop)
    say(announcement({ role, settings, running, version }))
  } catch (error) {
    process.stderr.write(failureLine(error, settings))
    process.exit(1)
  }
}

function refuseUsage(words: readonly string[]): void {
  const command = JSON.stringify(words.join(' ')).slice(1, -1)
  process.stderr.write(`keyferry-server: unknown command "${command}"; see keyferry-server --help\n`)
  process.exitCode = USAGE_ERROR
}

function say(text: string): void {
  process.stdout.write(text)
}
