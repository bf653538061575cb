import { Transform } from 'node:stream'
import type { Output, ProgramStart, Values } from '../base/parts.ts'
import { type Pattern, Redactor } from './redactor.ts'

// A prompt has no line end, and must not wait for more output.
const LONGEST_DELAY_MS = 100

/** A stream that replaces the patterns by the names of their values. What may be the beginning of a pattern is shown
 * after 100 ms without more output. */
function redactedStream(patterns: readonly Pattern[]): Transform {
  const redactor = new Redactor(patterns)
  let timer: NodeJS.Timeout | undefined
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      clearTimeout(timer)
      const shown = redactor.next(chunk)
      if (redactor.isWaiting) timer = setTimeout(() => this.push(redactor.flush()), LONGEST_DELAY_MS)
      done(null, shown)
    },
    flush(done) {
      clearTimeout(timer)
      done(null, redactor.flush())
    },
    destroy(error, done) {
      clearTimeout(timer)
      done(error)
    },
  })
}

/** When to replace values in a program's output. `auto`: where an AI agent reads it, that is, if an agent started this
 * client, for each stream that is not a terminal. */
export type Redaction = 'auto' | 'always' | 'never'

type RedactedOutput = {
  readonly redaction: Redaction
  readonly agent: string | null
  readonly stdout: Output
  readonly stderr: Output
}

/** The filters for the output of a program that gets these values. */
export async function outputFilters(
  values: Values,
  reading: RedactedOutput,
): Promise<ProgramStart['filters']> {
  const { stdout, stderr } = reading
  const [isStdout, isStderr] = [isRedacted(stdout, reading), isRedacted(stderr, reading)]
  if (!isStdout && !isStderr) return { stdout: null, stderr: null }
  const patterns = patternsOf(values)
  const filter = () => redactedStream(patterns)
  return { stdout: isStdout ? filter() : null, stderr: isStderr ? filter() : null }
}

function isRedacted({ isTerminal }: Output, { redaction, agent }: RedactedOutput): boolean {
  return redaction === 'always' || (redaction === 'auto' && agent !== null && !isTerminal)
}

/** Shorter values and lines are left alone: a program prints `1` or `true` for many reasons. */
const SHORTEST_REDACTED = 8
// base64(1) starts a new line after so many characters.
const BASE64_LINE = 76

/** How the values may appear in the output of a program: as they are, line by line, and in the common encodings. */
export function patternsOf(values: Values): Pattern[] {
  const found = new Map<string, Pattern>()
  for (const [name, value] of values) {
    for (const form of formsOf(value)) {
      if (form.length >= SHORTEST_REDACTED && !found.has(form)) {
        found.set(form, { bytes: Buffer.from(form), name })
      }
    }
  }
  return [...found.values(), ...[...values].flatMap(([name, value]) => inUtf16(name, value))]
}

// As some Windows programs write to a pipe.
function inUtf16(name: string, value: string): Pattern[] {
  const forms = [...new Set([value, ...linesOfText(value)])]
  return forms
    .filter(({ length }) => length >= SHORTEST_REDACTED)
    .map((form) => ({ bytes: Buffer.from(form, 'utf16le'), name }))
}

function formsOf(value: string): string[] {
  const bytes = Buffer.from(value)
  if (bytes.length < SHORTEST_REDACTED) return []
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].map((offset) => base64At(bytes, offset))
  return [
    value,
    ...linesOfText(value),
    ...inJson(value),
    ...inHtml(value),
    ...inQuotes(value),
    ...percentEncoded(value),
    hex,
    hex.toUpperCase(),
    bytes.toString('base64'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
    ...linesOf(bytes.toString('base64')),
  ]
}

// As JavaScript, Python, PHP and Go write it unless told otherwise.
function inJson(value: string): string[] {
  const text = JSON.stringify(value).slice(1, -1)
  const ascii = text.replace(/[\u0080-\uffff]/g, codeOf)
  return [text, ascii, ascii.replaceAll('/', '\\/'), text.replace(/[<>&\u2028\u2029]/g, codeOf)]
}

// As a text alone, and with the quotes of Python and React, of JavaScript, of Go and Jinja, of PHP, and of XML.
function inHtml(value: string): string[] {
  const text = value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  const quotes = [
    ['&quot;', '&#x27;'],
    ['&quot;', '&#39;'],
    ['&quot;', '&#039;'],
    ['&#34;', '&#39;'],
    ['&quot;', '&apos;'],
    ['&quot;', "'"],
  ] as const
  return [text, ...quotes.map(([two, one]) => text.replaceAll('"', two).replaceAll("'", one))]
}

// As a shell shows a command (`set -x`) and its variables (`export -p`), and as SQL and YAML write a text.
function inQuotes(value: string): string[] {
  return [
    value.replaceAll("'", `'\\''`),
    value.replace(/["$`\\]/g, (unit) => `\\${unit}`),
    value.replaceAll("'", "''"),
  ]
}

function linesOfText(value: string): string[] {
  return value.split(/\r\n|[\r\n]/)
}

function codeOf(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function percentEncoded(value: string): string[] {
  const encoded = encodeURIComponent(value.toWellFormed())
  const form = new URLSearchParams([['', value]]).toString().slice(1)
  const forms = [encoded, encoded.replaceAll('%2F', '/'), form]
  return [...forms, ...forms.map((text) => text.replace(/%../g, (code) => code.toLowerCase()))]
}

/** The characters of a base64 text that the bytes alone decide, when so many other bytes come before them. */
function base64At(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6))
}

function linesOf(base64: string): string[] {
  if (base64.length <= BASE64_LINE) return []
  return base64.match(new RegExp(`.{1,${BASE64_LINE}}`, 'g')) ?? []
}
