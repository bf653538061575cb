import { VERSION } from '../base/version.ts'
import type { Command } from './command.ts'
import { ENVIRONMENT, EXIT_CODES, flagForm, synopsis } from './help.ts'
import { allFlags } from './parse-words.ts'

/** The manual page keyferry(1), in troff, from the same table as `--help`. */
export function manualPage(commands: readonly Command[]): string {
  return [
    `.TH KEYFERRY 1 "" "keyferry ${VERSION}" "User Commands"`,
    '.SH NAME',
    'keyferry \\- run a program with secrets that you approve in the browser',
    '.SH SYNOPSIS',
    ...commands.flatMap((command) => [`.B ${troff(synopsis(command))}`, '.br']),
    '.SH COMMANDS',
    ...commands.flatMap((command) => section(command)),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, meaning]) => entry(code, meaning)),
    '.SH ENVIRONMENT',
    ...ENVIRONMENT.flatMap(([name, meaning]) => entry(name, meaning)),
    '',
  ].join('\n')
}

function section(command: Command): string[] {
  return [
    `.SS ${troff(synopsis(command))}`,
    `${troff(command.summary)}.`,
    ...command.details.flatMap((paragraph) => ['.PP', troff(paragraph)]),
    ...allFlags(command).flatMap((flag) => entry(flagForm(flag), flag.summary)),
    ...Object.entries(command.examples).flatMap(exampleOf),
  ]
}

function entry(term: string, meaning: string): string[] {
  return ['.TP', `.B ${troff(term)}`, troff(meaning)]
}

function exampleOf([command, what]: readonly [string, string]): string[] {
  return ['.PP', `${troff(what)}:`, '.PP', '.nf', `.RS`, troff(command), '.RE', '.fi']
}

// In troff a backslash starts an escape, a dot or quote at the start of a line starts a request, and a bare hyphen is
// printed as a dash.
function troff(text: string): string {
  return text.replaceAll('\\', '\\e').replaceAll('-', '\\-').replace(/^[.']/, '\\&$&')
}
