import { MAINTENANCE } from './maintain.ts'
import { SETTINGS, type Setting } from './settings/setting-table.ts'
import { readSettings } from './settings/settings.ts'

const USAGE = `keyferry-server: delivers environment-variable secrets to terminals

Usage
  keyferry-server              run both layers in one process, on SQLite; nothing else to install
  keyferry-server api          run only the internal API; any number of nodes on PostgreSQL and Redis
  keyferry-server web          run only the web-facing layer; any number of nodes

Database commands
MAINTENANCE
  --help, --version

Examples
  keyferry-server
  PORT=8080 DATA_DIR=/var/lib/keyferry keyferry-server
  AUTH_MODE=accounts PUBLIC_URL=https://keyferry.example.com keyferry-server
`

/** @returns the text of --help: usage, examples, every setting */
export function helpText(): string {
  const calls = Object.entries(MAINTENANCE).map(([name, { argument = '', means }]) => {
    return { call: `${name} ${argument}`.trimEnd(), means }
  })
  const callWidth = Math.max(...calls.map(({ call }) => call.length))
  const commands = calls.map(({ call, means }) => `  keyferry-server ${call.padEnd(callWidth)}  ${means}`)
  const names = Object.entries<Setting>(SETTINGS)
  const width = Math.max(...names.map(([name]) => name.length))
  const rows = names.map(([name, { means }]) => `  ${name.padEnd(width)}  ${means}${defaultOf(name)}`)
  const usage = USAGE.replace('MAINTENANCE\n', `${commands.join('\n')}\n\n`)
  return `${usage}\nSettings (environment variables)\n${rows.join('\n')}\n`
}

function defaultOf(name: string): string {
  const defaults: Readonly<Record<string, unknown>> = readSettings({})
  const value = defaults[name]
  if (typeof value === 'boolean') return `; default: ${value ? 1 : 0}`
  return typeof value === 'string' || typeof value === 'number' ? `; default: ${value}` : ''
}
