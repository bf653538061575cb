import { EnvDialectError, type ImportEntry, type ImportText } from './import-text.ts'

const ASSIGNMENT = /^[ \t]*(?:export[ \t]+)?([^\s=#'"`]+)[ \t]*=[ \t]*/
const ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

/** Read `.env` text in the dialects that people have: an `export ` prefix, comments behind values, CRLF, a byte order
 * mark, quotes of three kinds that may span lines, quoted pieces joined as a shell joins them. Variables are not expanded.
 * - unquoted: to the end of the line or a ` #`, blanks around it dropped; a `#` without a blank before it is kept
 * - single quotes and backticks: literal
 * - double quotes: \n \r \t mean what they do elsewhere, \\ \" \$ \` the second character; other backslashes stay
 * @throws EnvDialectError with the line */
export function parseEnvDialect(text: string): ImportText {
  const scanner = new Scanner(text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n'))
  const entries = new Map<string, ImportEntry>()
  const notes: string[] = []
  while (!scanner.isAtEnd) {
    const line = scanner.line
    const name = scanner.assignment()
    if (name === null) continue
    if (entries.delete(name)) notes.push(`line ${line}: ${name} is set again; the last one counts`)
    entries.set(name, { name, value: scanner.value(notes), line })
  }
  return { entries: [...entries.values()], notes }
}

class Scanner {
  readonly #text: string
  #at = 0
  #line = 1
  #counted = 0

  constructor(text: string) {
    this.#text = text
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#text.length
  }

  get line(): number {
    for (; this.#counted < this.#at; this.#counted++) if (this.#text[this.#counted] === '\n') this.#line += 1
    return this.#line
  }

  /** Past `NAME=`; null past a line that is blank or a comment. */
  assignment(): string | null {
    const rest = this.#restOfLine()
    if (/^\s*(?:#|$)/.test(rest)) {
      this.#skipLine()
      return null
    }
    const match = ASSIGNMENT.exec(rest)
    const name = match?.[1]
    if (match === null || name === undefined) throw new EnvDialectError(this.line, 'is not NAME=value')
    if (!/^[A-Za-z0-9_]{1,255}$/.test(name)) {
      throw new EnvDialectError(this.line, 'has a name with other characters than letters, digits and _')
    }
    this.#at += match[0].length
    return name
  }

  value(notes: string[]): string {
    const next = this.#peek()
    return next === "'" || next === '"' || next === '`' ? this.#quoted() : this.#unquoted(notes)
  }

  #unquoted(notes: string[]): string {
    const line = this.line
    const rest = this.#restOfLine()
    const value = rest
      .replace(/(?:^|[ \t])#.*$/, (comment) => (this.#isComment(comment) ? '' : comment))
      .trim()
    if (value.includes('#'))
      notes.push(`line ${line}: the # is part of the value; quote it if other tools read it too`)
    this.#skipLine()
    return value
  }

  // Directly behind the `=`, without a blank, a # is a value such as a colour.
  #isComment(comment: string): boolean {
    return comment.startsWith('#') ? /[ \t]/.test(this.#text[this.#at - 1] ?? '') : true
  }

  #quoted(): string {
    let value = ''
    const opened = this.line
    for (;;) {
      const next = this.#peek()
      if (next === "'" || next === '`') value += this.#literal(next)
      else if (next === '"') value += this.#escaped()
      else if (next === '\\' && this.#text[this.#at + 1] === "'") {
        value += "'"
        this.#at += 2
      } else break
    }
    if (!/^[ \t]*(?:#.*)?$/.test(this.#restOfLine())) {
      throw new EnvDialectError(opened, 'goes on behind the closing quote')
    }
    this.#skipLine()
    return value
  }

  #literal(quote: string): string {
    const end = this.#text.indexOf(quote, this.#at + 1)
    if (end === -1) throw new EnvDialectError(this.line, 'opens a quote that is never closed')
    const value = this.#text.slice(this.#at + 1, end)
    this.#at = end + 1
    return value
  }

  #escaped(): string {
    const closed = /"((?:[^"\\]|\\[\s\S])*)"/y
    closed.lastIndex = this.#at
    const match = closed.exec(this.#text)
    if (match === null) throw new EnvDialectError(this.line, 'opens a quote that is never closed')
    this.#at = closed.lastIndex
    return (match[1] ?? '').replace(/\\([\s\S])/g, unescaped)
  }

  #peek(): string {
    return this.#text[this.#at] ?? ''
  }

  #restOfLine(): string {
    const end = this.#text.indexOf('\n', this.#at)
    return this.#text.slice(this.#at, end === -1 ? undefined : end)
  }

  #skipLine(): void {
    this.#at += this.#restOfLine().length + 1
  }
}

function unescaped(whole: string, letter: string): string {
  return ESCAPES[letter] ?? ('\\"$`'.includes(letter) ? letter : whole)
}
