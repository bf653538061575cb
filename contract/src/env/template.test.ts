import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { LIMITS } from '../limits.ts'
import { composeTemplate, literalTemplate, parseTemplate, partNames, TemplateError } from './template.ts'

const composed = (text: string, values: Record<string, string> = {}) =>
  composeTemplate(parseTemplate(text), (name) => values[name] ?? `<${name}>`)

// Texts with much of what the grammar gives a meaning.
const texts = fc
  .array(fc.constantFrom('$', '{', '}', '$${', '${A}', '${B|uri}', '|', 'uri', 'A', ' ', '/', 'ä', '\n'))
  .map((parts) => parts.join(''))

test.for([
  ['postgres://${USER}:${PASSWORD|uri}@db/app', 'postgres://sam:p%40ss@db/app'],
  ['$${USER}', '${USER}'],
  ['$$${USER}', '$${USER}'],
  ['$USER $5 $$ $( ) cost: 3$', '$USER $5 $$ $( ) cost: 3$'],
  ['{USER}', '{USER}'],
  ['', ''],
  ['${USER}${USER}', 'samsam'],
])('%j becomes %j', ([text = '', expected = '']) => {
  expect(composed(text, { USER: 'sam', PASSWORD: 'p@ss' })).toBe(expected)
})

test.for(['${', '${}', '${A', '${A-B}', '${A|url}', '${A|uri', '${A|}', '${ A }', 'x${ä}', '${A${B}}'])(
  '%j is refused, and the message says where',
  (text) => {
    expect(() => parseTemplate(text)).toThrow(TemplateError)
    expect(() => parseTemplate(text)).toThrow(/character \d+/)
  },
)

test('a refusal repeats nothing of the text', () => {
  expect(() => parseTemplate('hunter2 ${hunter-2}')).toThrow(expect.not.stringContaining('hunter'))
})

test('a template has a bounded number of parts, and a part a name that a key can have', () => {
  const most = '${A}'.repeat(LIMITS.templateParts)
  expect(partNames(parseTemplate(most))).toEqual(['A'])
  expect(() => parseTemplate(`${most}\${A}`)).toThrow('at most 32 parts')
  expect(partNames(parseTemplate(most.replaceAll('$', ', $')))).toEqual(['A'])
  expect(() => parseTemplate(`\${${'A'.repeat(LIMITS.nameLength)}}`)).not.toThrow()
  expect(() => parseTemplate(`\${${'A'.repeat(LIMITS.nameLength + 1)}}`)).toThrow('longer than 255')
})

test('a literal template gives back any text', () => {
  fc.assert(
    fc.property(fc.oneof(texts, fc.string({ unit: 'grapheme' })), (text) => {
      expect(partNames(parseTemplate(literalTemplate(text)))).toEqual([])
      expect(composed(literalTemplate(text))).toBe(text)
    }),
  )
})

test('a text without ${ stands for itself', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      fc.pre(!text.includes('${'))
      expect(composed(text)).toBe(text)
    }),
  )
})

test('an encoded part decodes to the value and contains unreserved characters only', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const encoded = composed('${A|uri}', { A: value })
      expect(decodeURIComponent(encoded)).toBe(value)
      expect(encoded).toMatch(/^[A-Za-z0-9._~%-]*$/)
    }),
  )
})

test('values are inserted as they are, also those that look like parts', () => {
  fc.assert(
    fc.property(texts, texts, (a, b) => {
      expect(composed('<${A}|${B}>', { A: a, B: b })).toBe(`<${a}|${b}>`)
    }),
  )
})

test('composing asks for exactly the names of the parts', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom('${A}', '${B|uri}', '$${C}', 'D', '$')), (pieces) => {
      const template = parseTemplate(pieces.join(' '))
      const asked = new Set<string>()
      composeTemplate(template, (name) => String(asked.add(name).size))
      expect([...asked]).toEqual(partNames(template))
    }),
  )
})
