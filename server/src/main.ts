import { constants } from 'node:os'
import { parseArgs } from 'node:util'
import { failureFacts } from '@keyferry/plumbing/failure'
import { multiplyTimeLimits } from '@keyferry/plumbing/time-limits'
import manifest from '../package.json' with { type: 'json' }
import { announcement } from './announce.ts'
import { failureLine } from './failure-line.ts'
import { helpText } from './help.ts'
import { inheritedSockets } from './inherited-sockets.ts'
import { MAINTENANCE } from './maintain.ts'
import type { Maintenance } from './maintenance.ts'
import type { ServerRole } from './safe-start.ts'
import type { Settings } from './settings/setting-table.ts'
import { hasFiles, readSettings, refresh } from './settings/settings.ts'
import type { Running } from './start.ts'

const { version } = manifest
const USAGE_ERROR = 2
const OWNER_ONLY = 0o077

type CommandLine = { help: boolean; version: boolean; work: ServerWork }
type ServerWork = { role: ServerRole } | { maintenance: Maintenance; argument: string }

const ROLES: Readonly<Record<string, ServerRole>> = { '': 'all', api: 'api', web: 'web' }

export async function main(words: readonly string[]): Promise<void> {
  const line = parseCommandLine(words)
  if (!line) return refuseUsage(words)
  if (line.help) return say(helpText())
  if (line.version) return say(`${version}\n`)
  process.umask(OWNER_ONLY)
  endOnInternalFailure()
  await ('role' in line.work ? serve(line.work.role) : maintain(line.work.maintenance, line.work.argument))
}

function parseCommandLine(words: readonly string[]): CommandLine | null {
  try {
    const text = { type: 'string' } as const
    const yes = { type: 'boolean' } as const
    const flags = { help: { ...yes, short: 'h' }, version: yes, accept: yes } as const
    const options = { ...flags, to: text, recipients: text }
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const { to, recipients } = values
    const [command = '', ...rest] = positionals
    const named = values.accept ? `${command} --accept` : command
    const work = workOf([named, ...rest], Object.entries({ to, recipients }).filter(isGiven))
    return work ? { work, help: values.help === true, version: values.version === true } : null
  } catch {
    return null
  }
}

type GivenOption = [name: string, value: string]

function isGiven(option: [string, string | undefined]): option is GivenOption {
  return option[1] !== undefined
}

function workOf(positionals: readonly string[], options: readonly GivenOption[]): ServerWork | null {
  const [command = '', ...rest] = positionals
  const { option, argument: takesWords = '' } =
    (Object.hasOwn(MAINTENANCE, command) && MAINTENANCE[command]) || {}
  const restLimit = takesWords.endsWith(' [FILE]') ? options.length : 0
  if (option !== undefined && rest.length > restLimit) return null
  if (options.some(([name]) => name !== option)) return null
  const words = [...options.map(([, value]) => value), ...rest]
  const argument = words.join(' ')
  const role = argument === '' ? ROLES[command] : undefined
  if (role) return { role }
  const maintenance = Object.hasOwn(MAINTENANCE, command) ? MAINTENANCE[command] : undefined
  return maintenance && takes(maintenance, words) ? { maintenance, argument } : null
}

function takes({ argument: name }: Maintenance, words: readonly string[]): boolean {
  if (words.length === 0 || words[0] === '') return name === undefined || name.startsWith('[')
  return name !== undefined && (words.length === 1 || /[… ]/.test(name))
}

async function maintain(maintenance: Maintenance, argument: string): Promise<void> {
  let settings: Settings | null = null
  try {
    settings = settingsOfProcess()
    const outcome = await maintenance.run(settings, argument, say)
    const { text, isWell, next } = typeof outcome === 'string' ? { text: outcome, isWell: true } : outcome
    if (text !== '') say(`${text}\n`)
    if (next !== undefined) process.stderr.write(`${next}\n`)
    process.exitCode = isWell ? 0 : 1
  } catch (error) {
    process.stderr.write(failureLine(error, settings))
    process.exitCode = 1
  }
}

function settingsOfProcess(): Settings {
  const settings = readSettings()
  multiplyTimeLimits(settings.TIME_LIMIT_FACTOR)
  return settings
}

async function serve(role: ServerRole): Promise<void> {
  let settings: Settings | null = null
  try {
    settings = settingsOfProcess()
    const { start } = await import('./start.ts')
    const sockets = inheritedSockets(process.env, process.pid)
    const running = await start(role, settings, { version, sockets })
    stopOnSignal(running.stop, settings)
    if (hasFiles()) readFilesOnSignal(running, settings)
    for (const { secret } of running.startNotes) process.stderr.write(`${secret}\n`)
    say(announcement({ role, settings, running, version }))
  } catch (error) {
    process.stderr.write(failureLine(error, settings))
    process.exit(1)
  }
}

function readFilesOnSignal({ useRootKeys }: Running, settings: Settings): void {
  const reload = async () => {
    refresh(settings)
    await useRootKeys()
  }
  process.on('SIGHUP', () => {
    reload().catch((error: unknown) => process.stderr.write(failureLine(error, settings)))
  })
}

function refuseUsage(words: readonly string[]): void {
  process.stderr.write(`keyferry-server: ${usageProblem(words)}; see keyferry-server --help\n`)
  process.exitCode = USAGE_ERROR
}

function usageProblem(words: readonly string[]): string {
  const [command = ''] = words
  const argument = Object.hasOwn(MAINTENANCE, command) ? MAINTENANCE[command]?.argument : undefined
  if (words.length === 1 && argument !== undefined) return `${command} needs ${argument}`
  return `unknown command "${JSON.stringify(words.join(' ')).slice(1, -1)}"`
}

function say(text: string): void {
  process.stdout.write(text)
}

/** Exit on an uncaught failure and print where it arose. Do not print its message, which can contain what a caller
 * sent. */
function endOnInternalFailure(): void {
  process.on('uncaughtException', (error) => {
    process.stderr.write(`keyferry-server: internal failure: ${traceOf(error)}\n`)
    process.exit(1)
  })
}

function traceOf(failure: unknown): string {
  const { error, frames } = failureFacts(failure)
  return [error, ...frames.map((line) => `    ${line}`)].join('\n')
}

/** A stop takes at most this much longer than the calls that it waits for. */
const SPARE_MS = 1_500

/** Stop gracefully on the first SIGTERM or SIGINT, immediately on the second, and always within the time of the
 * settings. Only SIGTERM drains: SIGINT comes from a person at a terminal. */
function stopOnSignal(
  stop: (drainSeconds: number) => Promise<void>,
  { DRAIN_SECONDS, STOP_SECONDS }: Pick<Settings, 'DRAIN_SECONDS' | 'STOP_SECONDS'>,
): void {
  let isStopping = false
  const onSignal = (signal: 'SIGTERM' | 'SIGINT') => {
    if (isStopping) process.exit(128 + constants.signals[signal])
    isStopping = true
    const drainSeconds = signal === 'SIGTERM' ? DRAIN_SECONDS : 0
    setTimeout(() => process.exit(0), (drainSeconds + STOP_SECONDS) * 1_000 + SPARE_MS).unref()
    stop(drainSeconds).then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', onSignal)
  process.on('SIGINT', onSignal)
}
