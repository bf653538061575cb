import type { Command } from '../src/command-line/command.ts'
import { ENVIRONMENT, EXIT_CODES, flagForm, synopsis } from '../src/command-line/help.ts'
import { allFlags } from '../src/command-line/parse-words.ts'

/** The page docs/commands.md, in Markdown, from the same table as `--help`. */
export function referencePage(commands: readonly Command[]): string {
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
    ...commands.flatMap(section),
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

function section(command: Command): string[] {
  const { name, summary, details, examples } = command
  return [
    `## ${name}`,
    `${summary}.`,
    '',
    ...fenced([synopsis(command)]),
    '',
    ...details.flatMap((paragraph) => [escaped(paragraph), '']),
    ...fenced(Object.entries(examples).flatMap(([line, what]) => [`# ${what}`, line])),
    '',
    ...table(
      ['option', 'meaning'],
      allFlags(command).map((flag) => [code(flagForm(flag)), flag.summary]),
    ),
    '',
  ]
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
