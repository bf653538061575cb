import { expect, test } from 'vitest'
import { exactText, visibleText } from './visible-text.ts'

test('characters that hide or reorder text are removed', () => {
  expect(visibleText('lap\u202etop\u2066 \u200bx\u0007\n\u2028')).toBe('laptop x')
})

test('invisible blanks are removed, and combining marks do not pile up', () => {
  expect(visibleText('a\u3164\u2800\uffa0\u115f\u{e0041}b')).toBe('ab')
  expect(visibleText(`a${'\u0336\u030a'.repeat(90)}b`)).toBe('a\u0336\u030a\u0336\u030ab')
  expect(visibleText('Việt ที่ क्षि')).toBe('Việt ที่ क्षि')
})

test('scripts of every direction stay', () => {
  expect(visibleText('grüße 日本語 שלום 🚢')).toBe('grüße 日本語 שלום 🚢')
})

test('a long text is cut', () => {
  expect(visibleText('x'.repeat(300), 10)).toBe(`${'x'.repeat(10)}…`)
})

test.each([
  ['refs/heads/main\u200b', String.raw`refs/heads/main\u{200b}`],
  ['/home/ada/shop\u2060 ', String.raw`/home/ada/shop\u{2060}\u{20}`],
  ['\u202egnigats', String.raw`\u{202e}gnigats`],
  ['a\u00a0b c\n', String.raw`a\u{a0}b c\n`],
  [`a${'\u0336'.repeat(5)}`, `a${'\u0336'.repeat(4)}${String.raw`\u{336}`}`],
  ['grüße 日本語 שלום', 'grüße 日本語 שלום'],
])('%j that decides is shown as %s', (text, shown) => {
  expect(exactText(text)).toBe(shown)
})
