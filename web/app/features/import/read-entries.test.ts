import { expect, test } from 'vitest'
import { readEntries } from './read-entries.ts'

test('every bad line is named, and the lines between them are read', () => {
  const { entries, invalid } = readEntries('A=1\nnonsense\nB=2\nC-D=3\nE=5')
  expect(entries).toEqual([
    { name: 'A', value: '1', line: 1 },
    { name: 'B', value: '2', line: 3 },
    { name: 'E', value: '5', line: 5 },
  ])
  expect(invalid.map(({ line }) => line)).toEqual([2, 4])
})

test('a quote that is never closed spoils its line alone', () => {
  const { entries, invalid } = readEntries('A="open\nB=2')
  expect(entries).toEqual([{ name: 'B', value: '2', line: 2 }])
  expect(invalid).toEqual([{ line: 1, problem: 'opens a quote that is never closed' }])
})

test('a value over several lines keeps them, and later lines keep their numbers', () => {
  const { entries } = readEntries('PEM="a\nb\nc"\nB=2')
  expect(entries).toEqual([
    { name: 'PEM', value: 'a\nb\nc', line: 1 },
    { name: 'B', value: '2', line: 4 },
  ])
})

test('JSON: texts, whole numbers and flags count; anything else is named with its line', () => {
  const { entries, invalid } = readEntries('{\n  "A": "x",\n  "B": 3,\n  "C": null,\n  "D": true\n}')
  expect(entries).toEqual([
    { name: 'A', value: 'x', line: 2 },
    { name: 'B', value: '3', line: 3 },
    { name: 'D', value: 'true', line: 5 },
  ])
  expect(invalid).toEqual([{ line: 4, problem: 'the value of C is not a text' }])
})

test('JSON that is broken names the line where it breaks', () => {
  const { entries, invalid } = readEntries('{\n  "A": "x",\n  B\n}')
  expect(entries).toEqual([])
  expect(invalid).toEqual([{ line: 3, problem: 'is where this stops being JSON' }])
})

test('a value that cannot be stored is an invalid line, without the value', () => {
  const { entries, invalid } = readEntries(`A=${'x'.repeat(65_537)}`)
  expect(entries).toEqual([])
  expect(invalid[0]?.problem).toBe('gives A a value that cannot be stored: It is longer than 64 KiB.')
})

test('an empty text is nothing', () => {
  expect(readEntries('')).toEqual({ entries: [], invalid: [], notes: [] })
})
