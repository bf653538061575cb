import { expect, test } from 'vitest'
import { builtFrom, missingIn, templateIn } from './templates.ts'

test('the names of a text, or what is wrong with it', () => {
  expect(templateIn('${A}:${B|uri}')).toEqual({ parts: ['A', 'B'], problem: null })
  expect(templateIn('${A').problem).toMatch(/^The \$\{ at character 1 .*\.$/)
})

test('a name is missing where the bundle lacks it, and where another template delivers it', () => {
  const items = [{ name: 'A' }, { name: 'B', template_parts: ['A'] }]
  expect(missingIn(items, ['A', 'B', 'C'])).toEqual(['B', 'C'])
})

test('what a value is built from', () => {
  expect([builtFrom(['A', 'B']), builtFrom([])]).toEqual(['built from A, B', 'built from no other value'])
})
