import { hanging, wrap } from '../base/printable.ts'
import { VERSION } from '../base/version.ts'
import type { Command, CommandFlag, CommandGroups, FlagGroup } from './command.ts'
import { allFlags } from './parse-words.ts'

const INDENT = 2

export const EXIT_CODES: readonly (readonly [string, string])[] = [
  ['0', 'done'],
  ['1', 'an error here; diff: the bundles differ; audit: the log is wrong'],
  ['2', 'the command line is invalid'],
  ['3', 'the approver denied, or the server refused the machine'],
  ['4', 'the request expired or is unknown'],
  ['5', 'the server is unreachable'],
  ['6', 'the server refused, or the client refused what it delivered'],
  ['126, 127', 'run: the program cannot be started; the program was not found'],
  ['130', 'interrupted'],
]

export const ENVIRONMENT: readonly (readonly [string, string])[] = [
  ['KEYFERRY_SERVER', 'address of the server; --server overrides it'],
  ['KEYFERRY_TOKEN', 'token of a machine; KEYFERRY_TOKEN_FILE names a file that holds it'],
  ['KEYFERRY_MACHINE', 'id of a machine that uses an ID token'],
  ['HTTPS_PROXY, NO_PROXY', 'proxies for servers on other machines'],
  ['NODE_EXTRA_CA_CERTS, SSL_CERT_FILE', 'certificates of private certificate authorities'],
  ['BROWSER', 'the command that opens the approval page; none opens nothing'],
  ['NO_COLOR', 'no colour'],
]

const TITLE = [
  `keyferry ${VERSION}: run a program with secrets that you approve in the browser`,
  '',
  'Usage: keyferry COMMAND [OPTIONS]',
  '',
]

const EXAMPLES = [
  '  keyferry import .env --bundle dev/app   # store the variables of a project',
  '  keyferry run dev/app -- npm run dev     # run a program with them',
]

/** What `keyferry` alone prints, for a terminal of that width. */
export function brief(groups: CommandGroups, columns: number): string {
  const rows = Object.entries(groups).map(
    ([title, commands]) => [title, commands.map(({ name }) => name).join(', ')] as const,
  )
  const more = 'Run keyferry --help for all commands, keyferry COMMAND --help for one.'
  return [...TITLE, table(rows, columns), '', ...EXAMPLES, '', more, ''].join('\n')
}

/** The page of `keyferry --help`, for a terminal of that width. */
export function overview(groups: CommandGroups, columns: number): string {
  const commands = Object.values(groups).flat()
  const widest = Math.max(...commands.map(({ name }) => name.length))
  const rowOf = ({ name, summary }: Command) => [name.padEnd(widest), summary] as const
  return [
    ...TITLE,
    ...Object.entries(groups).flatMap(([title, list]) => [title, table(list.map(rowOf), columns), '']),
    'Examples',
    ...EXAMPLES,
    '',
    'Exit codes',
    ...hanging('  ', EXIT_CODES.map(([code, text]) => `${code} ${text}`).join(' · '), columns),
    '',
    'Environment',
    ...hanging('  ', ENVIRONMENT.map(([name]) => name).join(', '), columns),
    '',
    'Run keyferry COMMAND --help for details, keyferry version for the version.',
    '',
  ].join('\n')
}

/** The page of `keyferry COMMAND --help`. */
export function commandHelp(command: Command, columns: number): string {
  return [
    `keyferry ${command.name}: ${command.summary}`,
    '',
    `Usage: ${synopsis(command)}`,
    '',
    ...command.details.flatMap((paragraph) => [...wrap(paragraph, columns), '']),
    ...options(command, columns),
    'Examples',
    ...exampleLines(command.examples),
    '',
  ].join('\n')
}

// One width for all groups, so that the summaries stand in one column.
function options(command: Command, columns: number): string[] {
  const flags = allFlags(command)
  const lines = tableLines(
    flags.map((flag) => [flagForm(flag), flag.summary]),
    columns,
  )
  return FLAG_GROUPS.flatMap((group) => {
    const rows = flags.flatMap((flag, at) => (flag.group === group ? (lines[at] ?? []) : []))
    return rows.length === 0 ? [] : [group ?? 'Options', ...rows, '']
  })
}

const FLAG_GROUPS: readonly (FlagGroup | undefined)[] = [undefined, 'Agents', 'CI', 'Rare']

/** The short form of the command line, for example `keyferry pull [OPTIONS] [BUNDLE]`. */
export function synopsis(command: Command): string {
  const program = command.takesProgram === true ? ' -- PROGRAM [ARGUMENT...]' : ''
  const operands = command.operands === undefined ? '' : ` ${command.operands}`
  return `keyferry ${command.name} [OPTIONS]${operands}${program}`
}

/** A flag as it is typed: `-h, --help`, `--keys A,B`. */
export function flagForm({ name, short, value, valueIfBare }: CommandFlag): string {
  const argument = value === undefined ? '' : valueIfBare === undefined ? ` ${value}` : `[=${value}]`
  return `${short === undefined ? '' : `-${short}, `}--${name}${argument}`
}

function exampleLines(examples: Command['examples']): string[] {
  return Object.entries(examples).flatMap(([command, what]) => [`  # ${what}`, `  ${command}`])
}

function table(rows: readonly (readonly [string, string])[], columns: number): string {
  return tableLines(rows, columns).flat().join('\n')
}

function tableLines(rows: readonly (readonly [string, string])[], columns: number): string[][] {
  const widest = Math.max(...rows.map(([left]) => left.length))
  const start = INDENT + widest + 2
  const isNarrow = columns - start < 24
  const indent = ' '.repeat(INDENT)
  return rows.map(([left, right]) => {
    const first = indent + left
    if (isNarrow) return [first, ...hanging(indent.repeat(3), right, columns)]
    return hanging(first.padEnd(start), right, columns)
  })
}
