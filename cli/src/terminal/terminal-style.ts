import type { Environment, Output } from '../base/parts.ts'

/** What a terminal can show, detected without querying it. */
export type TerminalStyle = {
  readonly hasColour: boolean
  readonly hasUnicode: boolean
  /** Whether a line can be overwritten, as a countdown needs. */
  readonly canRewrite: boolean
  readonly bold: (text: string) => string
  readonly dim: (text: string) => string
}

/** Respects NO_COLOR, TERM=dumb and a locale without UTF-8. Output that is not a terminal gets no colour and no
 * overwriting. */
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
