import type { Environment, Output } from '../ground/parts.ts'

/** What a terminal can show, found out without asking it. */
export type TerminalStyle = {
  readonly hasColour: boolean
  readonly hasUnicode: boolean
  /** Whether a line can be written over: a countdown moves in place. */
  readonly canRewrite: boolean
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
}

/** NO_COLOR, TERM=dumb and a plain locale are believed; what is no terminal gets neither colour nor rewriting. */
export function terminalStyle(
  { isTerminal }: Output,
  env: Environment,
  platform: NodeJS.Platform,
): TerminalStyle {
  const isDumb = env['TERM'] === 'dumb' || (env['TERM'] === undefined && platform !== 'win32')
  const hasColour = isTerminal && !isDumb && (env['NO_COLOR'] ?? '') === ''
  const wrap = (code: number, text: string): string => (hasColour ? `\x1b[${code}m${text}\x1b[0m` : text)
  return {
    hasColour,
    hasUnicode: isUnicode(env, platform),
    canRewrite: isTerminal && !isDumb,
    bold: (text) => wrap(1, text),
    dim: (text) => wrap(2, text),
  }
}

function isUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (text) => text !== undefined && text !== '',
  )
  if (locale === undefined) return platform === 'darwin' || platform === 'win32'
  return /utf-?8/i.test(locale)
}
