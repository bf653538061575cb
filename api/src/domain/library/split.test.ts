import { expect, test } from 'vitest'
import { marksOfCopy } from './split.ts'

const PUBLIC = { is_secret: false, isTemplate: false }

test('a copy has the marks of its source, unless others are given', () => {
  expect(marksOfCopy(PUBLIC, {})).toEqual(PUBLIC)
  expect(marksOfCopy(PUBLIC, { is_secret: true })).toEqual({ ...PUBLIC, is_secret: true })
  expect(marksOfCopy(PUBLIC, { isTemplate: true })).toEqual({ ...PUBLIC, isTemplate: true })
})

test('a value in the place of a template is secret, unless it is said to be public', () => {
  const template = { is_secret: false, isTemplate: true }
  expect(marksOfCopy(template, { isTemplate: false })).toEqual({ is_secret: true, isTemplate: false })
  expect(marksOfCopy(template, { isTemplate: false, is_secret: false })).toEqual(PUBLIC)
})
