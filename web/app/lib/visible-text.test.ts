import { expect, test } from 'vitest'
import { visibleText } from './visible-text.ts'

test('characters that hide or reorder are taken out', () => {
  expect(visibleText('lap\u202etop\u2066 \u200bx\u0007\n\u2028')).toBe('laptop x')
})

test('scripts of every direction stay', () => {
  expect(visibleText('grüße 日本語 שלום 🚢')).toBe('grüße 日本語 שלום 🚢')
})

test('a long text is cut', () => {
  expect(visibleText('x'.repeat(300), 10)).toBe(`${'x'.repeat(10)}…`)
})
