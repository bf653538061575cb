import { describe, expect, test } from 'vitest'
import { patternsOf } from './redacted-stream.ts'
import { Redactor } from './redactor.ts'

const SECRET = 'pä$$/w+rd?&"x"\'\\?>>tail'
const LINES = '-----BEGIN KEY-----\nMIIBVQIBADANBgkq\nhkiG9w0BAQEFAASC\n-----END KEY-----'
const VALUES = new Map([
  ['PASSWORD', SECRET],
  ['TLS_KEY', LINES],
  ['LONG', 'x7'.repeat(60)],
  ['PORT', '8080'],
])

function redacted(
  chunks: readonly (Buffer | string)[],
  values: ReadonlyMap<string, string> = VALUES,
): string {
  const redactor = new Redactor(patternsOf(values))
  return Buffer.concat([
    ...chunks.map((chunk) => redactor.next(Buffer.from(chunk))),
    redactor.flush(),
  ]).toString()
}

const asciiJson = (text: string) =>
  JSON.stringify(text).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
const html = (text: string, two: string, one: string) =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', two)
    .replaceAll("'", one)
const smallCodes = (text: string) => text.replace(/%../g, (code) => code.toLowerCase())

const encodings: readonly (readonly [string, (text: string) => string])[] = [
  ['as it is', (text) => text],
  ['in JSON', (text) => JSON.stringify({ text })],
  ['in JSON of Python', (text) => asciiJson(text)],
  ['in JSON of PHP', (text) => asciiJson(text).replaceAll('/', '\\/')],
  ['in JSON of Go', (text) => JSON.stringify(text).replaceAll('&', '\\u0026').replaceAll('>', '\\u003e')],
  ['in HTML of Python', (text) => html(text, '&quot;', '&#x27;')],
  ['in HTML of JavaScript', (text) => html(text, '&quot;', '&#39;')],
  ['in HTML of Go', (text) => html(text, '&#34;', '&#39;')],
  ['in HTML of PHP', (text) => html(text, '&quot;', '&#039;')],
  ['in XML', (text) => html(text, '&quot;', '&apos;')],
  ['as a text in HTML', (text) => html(text, '"', "'")],
  ['in single quotes of a shell', (text) => `'${text.replaceAll("'", String.raw`'\''`)}'`],
  ['in double quotes of a shell', (text) => `"${text.replace(/["$\\`]/g, (unit) => `\\${unit}`)}"`],
  ['in SQL', (text) => `'${text.replaceAll("'", "''")}'`],
  ['as part of an address in small letters', (text) => smallCodes(encodeURIComponent(text))],
  ['as part of an address', (text) => `?q=${encodeURIComponent(text)}&r`],
  ['as part of a form', (text) => new URLSearchParams({ text }).toString()],
  ['in hexadecimal', (text) => Buffer.from(text).toString('hex')],
  ['in capital hexadecimal', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ...[0, 1, 2].flatMap((offset): (readonly [string, (text: string) => string])[] => [
    [
      `in base64 after ${offset} bytes`,
      (text) => Buffer.from(`${'u'.repeat(offset)}${text}tail`).toString('base64'),
    ],
    [
      `in base64url after ${offset} bytes`,
      (text) => Buffer.from(`${'u'.repeat(offset)}${text}`).toString('base64url'),
    ],
  ]),
]

describe('a value does not show', () => {
  test.each(encodings)('%s', (name, encode) => {
    const shown = redacted([`before ${encode(SECRET)} after`])
    expect(shown).toContain('[keyferry:PASSWORD]')
    expect(shown).not.toContain(encode(SECRET))
    expect(shown.startsWith('before ')).toBe(true)
    expect(shown.endsWith(' after')).toBe(true)
    // In base64 what is beside the value shares letters with it.
    if (!name.startsWith('in base64')) expect(shown).not.toMatch(/\w\[keyferry:|\]\w/)
  })

  test('in any chunks: each pattern, cut at each place', () => {
    const wrong = []
    for (const { bytes, name } of patternsOf(VALUES)) {
      for (let cut = 1; cut < bytes.length; cut += 1) {
        const shown = redacted(['<', bytes.subarray(0, cut), bytes.subarray(cut), '>'])
        if (shown !== `<[keyferry:${name}]>`) wrong.push({ pattern: bytes.toString(), cut, shown })
      }
    }
    expect(wrong).toEqual([])
  })

  test('byte by byte', () => {
    const output = Buffer.from(`a ${SECRET}${SECRET} b\n${LINES}\n`)
    const shown = redacted([...output].map((byte) => Buffer.from([byte])))
    expect(shown).toBe('a [keyferry:PASSWORD][keyferry:PASSWORD] b\n[keyferry:TLS_KEY]\n')
  })

  test('when only one of its lines shows', () => {
    expect(redacted(['grep: hkiG9w0BAQEFAASC\n'])).toBe('grep: [keyferry:TLS_KEY]\n')
  })

  test('in UTF-16, whole or line by line', () => {
    const output = Buffer.from(`a ${SECRET} b`, 'utf16le')
    const shown = Buffer.from(redacted([output]), 'latin1').toString('utf8')
    expect(shown.replaceAll('\0', '')).toBe('a [keyferry:PASSWORD] b')
    expect(redacted([Buffer.from('hkiG9w0BAQEFAASC', 'utf16le')])).toBe('[keyferry:TLS_KEY]')
  })

  test('in the lines of base64(1)', () => {
    const lines = Buffer.from(VALUES.get('LONG') ?? '')
      .toString('base64')
      .replace(/.{76}/g, '$&\n')
    expect(redacted([lines]).replaceAll('\n', '')).toBe('[keyferry:LONG][keyferry:LONG][keyferry:LONG]')
  })
})

test('of two values at one place the longer one counts, also if it comes later', () => {
  const values = new Map([
    ['HOST', 'db.example.com'],
    ['URL', 'db.example.com/app'],
  ])
  expect(redacted(['x db.example.com', '/app y'], values)).toBe('x [keyferry:URL] y')
  expect(redacted(['x db.example.com', '/other y'], values)).toBe('x [keyferry:HOST]/other y')
})

test('a beginning that goes on differently is shown whole', () => {
  expect(redacted(['pä$$/w', '+rd, and more'])).toBe('pä$$/w+rd, and more')
  expect(redacted(['pä$$'])).toBe('pä$$')
})

test('a beginning within a beginning is found', () => {
  expect(redacted(['aaaaaaab', 'aaaaaaac!'], new Map([['A', 'aaaaaaac']]))).toBe('aaaaaaab[keyferry:A]!')
  expect(redacted(['abababab', 'ababX'], new Map([['A', 'ababababX']]))).toBe('abab[keyferry:A]')
})

test('short values are left alone', () => {
  expect(redacted(['listening on 8080'])).toBe('listening on 8080')
})

test('of lines that begin alike, each is found, and the shortest of them within another', () => {
  const values = new Map([['CONFIG', '    - name: a1\n    - name: a1b\n    - name: a1c']])
  const shown = '    - name: a1d\n    - name: a1b\n    - name: a2\n'
  expect(redacted([shown], values)).toBe('[keyferry:CONFIG]d\n[keyferry:CONFIG]\n    - name: a2\n')
})

test('an output that is full of the beginning of many lines does not delay the program', () => {
  const lines = Array.from({ length: 4_000 }, (_, index) => `        - name: "${index}"`)
  const redactor = new Redactor(patternsOf(new Map([['CONFIG', lines.join('\n')]])))
  const before = process.threadCpuUsage()
  const indented = Buffer.alloc(256 * 1024, '        - name: ')
  expect(redactor.next(indented).length + redactor.flush().length).toBe(indented.length)
  expect(process.threadCpuUsage(before).user).toBeLessThan(5_000_000)
})

test('other bytes pass unchanged', () => {
  const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => (index * 7_919) % 251))
  const redactor = new Redactor(patternsOf(VALUES))
  const shown = [bytes.subarray(0, 10_001), bytes.subarray(10_001)].map((chunk) =>
    Buffer.from(redactor.next(chunk)),
  )
  expect(Buffer.concat([...shown, redactor.flush()]).equals(bytes)).toBe(true)
})
