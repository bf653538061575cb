import { describe, expect, test } from 'vitest'
import {
  field,
  list,
  matching,
  number,
  object,
  oneOf,
  optional,
  or,
  orNull,
  read,
  refusing,
  string,
  truth,
} from './shape.ts'

const refused = () => new Error('refused')
const BUNDLE = object({ name: string, count: number, keys: list(object({ secret: truth })) })

test('a value of the shape is read, without other fields', () => {
  const bundle = { name: 'dev/app', count: 1, keys: [{ secret: true }], more: 1 }
  expect(read(bundle, BUNDLE, refused)).toEqual({ name: 'dev/app', count: 1, keys: [{ secret: true }] })
})

describe('any other value is refused', () => {
  test.each([
    [undefined],
    [null],
    ['text'],
    [[]],
    [{ name: 'dev/app', count: '1', keys: [] }],
    [{ name: 'dev/app', count: 1, keys: {} }],
    [{ name: 'dev/app', count: 1, keys: [{ secret: 1 }] }],
    [{ count: 1, keys: [] }],
  ])('%j', (value) => {
    expect(() => read(value, BUNDLE, refused)).toThrow('refused')
  })
})

test('a field of two words is read from its name in snake case', () => {
  expect(read({ key_count: 2 }, object({ keyCount: number }), refused)).toEqual({ keyCount: 2 })
})

test('one field can be read without its object', () => {
  expect(read({ name: 'dev/app' }, field('name', string), refused)).toBe('dev/app')
  expect(() => read({}, field('name', string), refused)).toThrow('refused')
  expect(read({}, or(field('name', string), 'none'), refused)).toBe('none')
})

test('a missing value and a wrong one differ', () => {
  const shape = optional(oneOf('a', 'b'), null)
  expect(read(undefined, shape, refused)).toBeNull()
  expect(read('b', shape, refused)).toBe('b')
  expect(() => read('c', shape, refused)).toThrow('refused')
  expect(read('c', orNull(shape), refused)).toBeNull()
})

test('a field can have an error of its own', () => {
  const shape = object({ id: refusing(matching(/^[a-z]+$/), () => new Error('no id')), name: string })
  expect(() => read({ id: '1' }, shape, refused)).toThrow('no id')
  expect(() => read({ id: 'a' }, shape, refused)).toThrow('refused')
})
