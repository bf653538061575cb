// Cc: control characters, escape included. Cf: bidirectional overrides, zero-width and other invisible characters.
// Zl, Zp: separators that some terminals break lines at. Cs, Co, Cn: what has no agreed look.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Cn}]/gu

/** Text of foreign origin, made safe to print on one line of a terminal: what could move the cursor, hide, reorder or
 * break a line becomes `�`, and what is longer than `maxLength` characters is cut. */
export function printable(text: string, maxLength = 300): string {
  const characters = Array.from(text.replace(UNPRINTABLE, '\u{fffd}'))
  return characters.length <= maxLength
    ? characters.join('')
    : `${characters.slice(0, maxLength - 1).join('')}…`
}

/** Text for one line of ours that a reader of plain ASCII can show. */
export function plainPunctuation(text: string): string {
  return text.replaceAll('…', '...').replaceAll('·', '-').replaceAll('→', '->')
}
