import { createElement } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import { KeyValue } from './key-value.tsx'

const htmlOf = (value: string, isSecret = false) =>
  renderToStaticMarkup(createElement(KeyValue, { value, isSecret }))

test('a long value shows its first 200 characters, also in its tooltip', () => {
  const html = htmlOf(`${'a'.repeat(200)}b`)
  expect(html).toContain(`>${'a'.repeat(200)}<`)
  expect(html).toContain(`title="${'a'.repeat(200)}"`)
})

test('an empty value says so, and a secret shows nothing of itself', () => {
  expect(htmlOf('')).toContain('>(empty)<')
  expect(htmlOf('planted', true)).not.toContain('planted')
  expect(htmlOf('planted', true)).toContain('Secret')
})
