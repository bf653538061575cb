import { type Format, isShellName } from './format.ts'

const BARE = /^[\w./:@%+,-]+$/

/** A file that dotenv and `node --env-file` read alike. The two agree on quoted text taken literally, and on nothing
 * that needs an escape: so a value is put in whichever of the three quotes it does not hold itself. */
export const dotenv: Format = {
  whyNot: (name, value) => {
    if (!isShellName(name)) return 'a name may not begin with a digit'
    if (value.includes('\r')) return 'a carriage return is lost by the readers'
    if (value.endsWith('\\')) return 'a backslash at the end is read as an escape'
    return BARE.test(value) || quoteFor(value) !== null ? null : 'all three kinds of quote are needed'
  },
  write: (values) => [...values].map(([name, value]) => `${name}=${written(value)}\n`).join(''),
}

function written(value: string): string {
  if (BARE.test(value)) return value
  const quote = quoteFor(value) ?? "'"
  return quote + value + quote
}

function quoteFor(value: string): string | null {
  // In double quotes \n is read as a newline.
  const fitting = ["'", '`', '"'].filter((quote) => !value.includes(quote))
  return fitting.find((quote) => quote !== '"' || !value.includes('\\')) ?? null
}
