import { eachAs, type Format } from '../format.ts'
import { NAME_RULES } from '../format-names.ts'
import { composeGrammar } from '../grammars/compose.ts'

/** A file for Docker Compose (`env_file:` and `.env`). Single quotes where the value needs no escape; otherwise double
 * quotes, in which Compose undoes escapes. */
export const compose: Format = {
  summary: 'a file for Docker Compose',
  asked: '.env',
  whyNot: (name, value) => {
    if (!isLiteral(value) && value.includes('\\$'))
      return 'Compose takes the backslash before $ for an escape'
    return NAME_RULES.compose(name)
  },
  write: eachAs((name, value) => `${name}=${isLiteral(value) ? `'${value}'` : escaped(value)}\n`),
  grammar: composeGrammar,
}

// Compose takes \' for a quote, and changes CRLF.
function isLiteral(value: string): boolean {
  return !/['\r]|\\$/.test(value)
}

function escaped(value: string): string {
  return `"${value.replace(/[\\"$]/g, String.raw`\$&`).replaceAll('\r', String.raw`\r`)}"`
}
