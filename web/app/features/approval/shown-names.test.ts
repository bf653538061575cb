import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { Names } from './shown-names.tsx'

const textOf = (count: number) => {
  const names = Array.from({ length: count }, (_, index) => `N${index + 1}`)
  return renderToStaticMarkup(createElement(Names, { names })).replaceAll(/<[^>]*>/g, '')
}

test('a note names at most 20, and counts the others', () => {
  expect(textOf(2)).toBe('N1, N2')
  expect(textOf(20)).toMatch(/^N1, .*, N20$/)
  expect(textOf(21)).toMatch(/^N1, .*, N20 and 1 more$/)
})
