import { expect, test } from 'vitest'
import { changedText } from './last-change.ts'

const at = new Date(Date.now() - 86_400_000).toISOString()

test.each([
  ['kim changed the value 1 day ago', { actor: { name: 'kim' }, at }],
  ['Another person changed the value 1 day ago', { actor: { name: null }, at }],
  ['Another person changed the value', undefined],
])('%s', (text, last) => {
  expect(changedText(last, 'the value')).toBe(text)
})
