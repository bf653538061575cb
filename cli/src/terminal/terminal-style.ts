import type { EnvironmentKind } from '@keyferry/contract/siblings'
import type { Environment, Output } from '../base/parts.ts'

export type TerminalStyle = ReturnType<typeof terminalStyle>

/** What a terminal can show, detected without querying it. Respects NO_COLOR, TERM=dumb and a locale without UTF-8.
 * Output that is not a terminal gets no colour and no overwriting. All colours are among the 16 that the user's theme
 * sets. */
export function terminalStyle({ isTerminal }: Output, env: Environment, platform: NodeJS.Platform) {
  const isDumb = env['TERM'] === 'dumb' || (env['TERM'] === undefined && platform !== 'win32')
  const hasColour = isTerminal && !isDumb && (env['NO_COLOR'] ?? '') === ''
  const hasUnicode = isUnicode(env, platform)
  const paint =
    (codes: string) =>
    (text: string): string =>
      hasColour ? `\x1b[${codes}m${text}\x1b[0m` : text
  const mark = (codes: string, sign: string, ascii: string) => paint(codes)(hasUnicode ? sign : ascii)
  const dim = paint('2')
  const [red, indigo] = [paint('31'), paint('34')]
  return {
    hasColour,
    hasUnicode,
    /** Whether a line can be overwritten, as a countdown needs. */
    canRewrite: isTerminal && !isDumb,
    bold: paint('1'),
    dim,
    red,
    yellow: paint('33'),
    done: mark('32', '✓', 'ok'),
    refused: mark('31', '✗', 'x'),
    waits: mark('33', '●', '*'),
    warns: paint('33')('!'),
    production: paint('1;97;41')(' PRODUCTION '),
    /** A text about a bundle in the colour of its environment. */
    place: (text: string, kind: EnvironmentKind | null): string =>
      kind === 'prod' ? red(text) : kind === 'staging' ? indigo(text) : text,
  }
}

function isUnicode(env: Environment, platform: NodeJS.Platform): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (text) => text !== undefined && text !== '',
  )
  if (locale === undefined) return platform === 'darwin' || platform === 'win32'
  return /utf-?8/i.test(locale)
}
