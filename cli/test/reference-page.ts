import type { Command, CommandFlag } from '../src/command-line/command.ts'
import { ENVIRONMENT, EXIT_CODES, flagForm, synopsis } from '../src/command-line/help.ts'
import { allFlags } from '../src/command-line/parse-words.ts'

const COLUMNS = 120
/** An option of so many commands stands in one table for all of them. */
const COMMON_FROM = 3

/** The page docs/commands.md, in Markdown, from the same table as `--help`. */
export function referencePage(commands: readonly Command[]): string {
  const common = commonFlags(commands)
  return [
    '# Commands of the client',
    '',
    'Made from the table that `keyferry --help` uses. [client.md](client.md) explains how the client works.',
    '',
    ...table(
      ['command', 'what it does'],
      commands.map(({ name, summary }) => [`[${name}](#${name})`, summary]),
    ),
    '',
    ...commands.flatMap((command) => section(command, common)),
    '## Common options',
    ...table(
      ['option', 'meaning'],
      [...common].map(([form, meaning]) => [code(form), meaning]),
    ),
    '',
    '## Exit codes',
    ...table(['code', 'meaning'], EXIT_CODES),
    '',
    '## Environment',
    ...table(
      ['variable', 'meaning'],
      ENVIRONMENT.map(([name, meaning]) => [code(name), meaning]),
    ),
    '',
  ].join('\n')
}

/** The options that many commands have with the same meaning, by form. */
function commonFlags(commands: readonly Command[]): ReadonlyMap<string, string> {
  const flags = commands.flatMap((command) => allFlags(command))
  const isCommon = (flag: CommandFlag) =>
    flags.filter((other) => flagForm(other) === flagForm(flag) && other.summary === flag.summary).length >=
    COMMON_FROM
  return new Map(flags.filter(isCommon).map((flag) => [flagForm(flag), flag.summary]))
}

function section(command: Command, common: ReadonlyMap<string, string>): string[] {
  const { name, summary, details, examples } = command
  const isCommon = (flag: CommandFlag) => common.get(flagForm(flag)) === flag.summary
  const own = allFlags(command).filter((flag) => !isCommon(flag))
  const shared = allFlags(command).filter(isCommon)
  const names = shared
    .filter(({ name: option }) => option !== 'help')
    .map(({ name: option }) => code(`--${option}`))
  return [
    `## ${name}`,
    `${summary}.`,
    '',
    ...fenced([synopsis(command)]),
    '',
    ...details.flatMap((paragraph) => [...wrapped(escaped(paragraph)), '']),
    ...fenced(Object.entries(examples).flatMap(([line, what]) => [`# ${what}`, line])),
    '',
    ...(own.length === 0 ? [] : optionTable(own)),
    ...(names.length === 0
      ? []
      : [...wrapped(`[Common options](#common-options): ${names.join(', ')}.`), '']),
  ]
}

function optionTable(flags: readonly CommandFlag[]): string[] {
  const rows = flags.map((flag) => [code(flagForm(flag)), flag.summary] as const)
  return [...table(['option', 'meaning'], rows), '']
}

/** Lines of at most COLUMNS. */
function wrapped(paragraph: string): string[] {
  const lines: string[] = []
  for (const word of paragraph.split(' ')) {
    const last = lines.at(-1)
    if (last === undefined || last.length + 1 + word.length > COLUMNS) lines.push(word)
    else lines[lines.length - 1] = `${last} ${word}`
  }
  return lines
}

function fenced(lines: readonly string[]): string[] {
  return ['```sh', ...lines, '```']
}

function table(head: readonly [string, string], rows: readonly (readonly [string, string])[]): string[] {
  return [head, ['---', '---'] as const, ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`)
}

function cell(text: string): string {
  return escaped(text).replaceAll('|', '\\|')
}

function code(text: string): string {
  return `\`${text}\``
}

// Angle brackets outside code would be taken for HTML; asterisks for emphasis.
function escaped(text: string): string {
  return text.startsWith('`') ? text : text.replace(/[<*]/g, '\\$&')
}
