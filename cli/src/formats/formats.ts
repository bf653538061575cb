import { usageError } from '../cli-error.ts'
import { printable } from '../terminal/printable.ts'
import type { Format } from './format.ts'

type Loader = {
  readonly load: () => Promise<Format>
  /** The contract's nearest word for it, which the approval page shows. */
  readonly asked: 'sh' | 'fish' | '.env'
  readonly summary: string
}

const FORMATS = {
  sh: {
    load: async () => (await import('./sh.ts')).sh,
    asked: 'sh',
    summary: 'export lines for sh, dash, bash and zsh',
  },
  fish: {
    load: async () => (await import('./fish.ts')).fish,
    asked: 'fish',
    summary: 'set -gx lines for fish',
  },
  '.env': {
    load: async () => (await import('./dotenv.ts')).dotenv,
    asked: '.env',
    summary: 'a file for dotenv and node --env-file',
  },
  json: {
    load: async () => (await import('./json.ts')).json,
    asked: 'sh',
    summary: 'one JSON object',
  },
  powershell: {
    load: async () => (await import('./powershell.ts')).powershell,
    asked: 'sh',
    summary: '$env: lines for PowerShell',
  },
  docker: {
    load: async () => (await import('./docker.ts')).docker,
    asked: '.env',
    summary: 'a file for docker run --env-file',
  },
  systemd: {
    load: async () => (await import('./systemd.ts')).systemd,
    asked: '.env',
    summary: 'a file for EnvironmentFile= of systemd',
  },
  'github-actions': {
    load: async () => (await import('./github-actions.ts')).githubActions,
    asked: '.env',
    summary: 'lines for the file that $GITHUB_ENV names',
  },
} as const satisfies Record<string, Loader>

export type FormatName = keyof typeof FORMATS

export const FORMAT_NAMES = Object.keys(FORMATS).filter(isFormatName)

export function isFormatName(text: string): text is FormatName {
  return Object.hasOwn(FORMATS, text)
}

/** @throws CliError usage */
export function requireFormatName(text: string): FormatName {
  if (isFormatName(text)) return text
  throw usageError(`there is no format ${printable(text, 60)}`, `Use one of ${FORMAT_NAMES.join(', ')}.`)
}

export function loaderOf(name: FormatName): Loader {
  return FORMATS[name]
}
