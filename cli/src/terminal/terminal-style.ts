import type { Environment, Output } from '../base/parts.ts'

export type TerminalStyle = ReturnType<typeof terminalStyle>

/** What a terminal can show, detected without querying it. Respects NO_COLOR, TERM=dumb and a locale without UTF-8.
 * Output that is not a terminal gets no colour and no overwriting. */
export function terminalStyle({ isTerminal }: Output, env: Environment, platform: NodeJS.Platform) {
  const isDumb = env['TERM'] === 'dumb' || (env['TERM'] === undefined && platform !== 'win32')
  const hasColour = isTerminal && !isDumb && (env['NO_COLOR'] ?? '') === ''
  const wrap = (code: number, text: string): string => (hasColour ? `\x1b[${code}m${text}\x1b[0m` : text)
  return {
    hasColour,
    hasUnicode: isUnicode(env, platform),
    /** Whether a line can be overwritten, as a countdown needs. */
    canRewrite: isTerminal && !isDumb,
    bold: (text: string) => wrap(1, text),
    dim: (text: string) => wrap(2, text),
  }
}

function isUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (text) => text !== undefined && text !== '',
  )
  if (locale === undefined) return platform === 'darwin' || platform === 'win32'
  return /utf-?8/i.test(locale)
}
