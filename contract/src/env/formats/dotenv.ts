import { eachAs, type Format } from '../format.ts'
import { NAME_RULES } from '../format-names.ts'

const BARE = /^[\w./:@%+,-]+$/

type QuoteForm = 'bare' | "'" | '"' | '`'

/** A file that npm dotenv and Node.js read in the same way, and python-dotenv, Ruby dotenv, direnv and Compose
 * wherever one text serves all of them. The readers agree on quoted text without escapes, so a value gets quotes that
 * it does not contain. */
export const dotenv: Format = {
  summary: 'a .env file for npm dotenv, Node.js and most other readers',
  asked: '.env',
  whyNot: (name, value) => {
    if (value.includes('\r')) return 'readers change a carriage return'
    if (value.endsWith('\\')) return 'readers take a backslash at the end for an escape'
    if (formOf(value) === null) return 'it would need all three kinds of quotes'
    return NAME_RULES['.env'](name)
  },
  write: eachAs((name, value) => `${name}=${written(value)}\n`),
  misreadBy: (value) => {
    const form = formOf(value)
    return form === null ? [] : READERS.filter(([, misreads]) => misreads(value, form)).map(([name]) => name)
  },
}

function written(value: string): string {
  const form = formOf(value) ?? "'"
  return form === 'bare' ? value : form + value + form
}

// Single quotes are literal for every reader. In double quotes backslashes are escapes. Only npm dotenv and Node.js
// know backticks.
function formOf(value: string): QuoteForm | null {
  if (BARE.test(value)) return 'bare'
  if (!value.includes("'")) return "'"
  if (!/["\\]/.test(value)) return '"'
  return value.includes('`') ? null : '`'
}

const expands = (value: string, form: QuoteForm) => form === '"' && /[$`]/.test(value)

/** These read `$NAME` in every kind of quotes, and take a backslash before `$` away. */
const replaces = (value: string, name: RegExp) => /\\\$/.test(value) || name.test(value)

/** The readers beside npm dotenv and Node.js, and what each reads as something else. Tried with python-dotenv 0.21,
 * Ruby dotenv 2.4, direnv 2.32, Vite 8 (dotenv-expand 13), @next/env 16 and Bun 1.4. */
const READERS: readonly [name: string, misreads: (value: string, form: QuoteForm) => boolean][] = [
  ['python-dotenv', (value, form) => form === '`' || /\\\\|\$\{/.test(value)],
  ['Ruby dotenv', (value, form) => form === '`' || expands(value, form)],
  ['Ruby dotenv before 2.8', (value, form) => form === '`' || value.includes('\n') || expands(value, form)],
  ['direnv', (value, form) => form === '`' || value.includes('\n') || expands(value, form)],
  ['Docker Compose', (value, form) => form === '`' || expands(value, form)],
  ['Vite', (value) => replaces(value, /\$[A-Za-z_{]/)],
  ['Next.js', (value) => replaces(value, /\$[\w{]/)],
  ['Bun', (value) => replaces(value, /\$[\w{]/)],
]
