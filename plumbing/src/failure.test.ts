import { expect, test } from 'vitest'
import { failureFacts } from './failure.ts'

test('no line of a message is among the frames', () => {
  const { frames, ...facts } = failureFacts(new TypeError('planted-1\nplanted-2'))
  expect(facts).toEqual({ error: 'TypeError' })
  expect(frames[0]).toMatch(/^at .*failure\.test\.ts/)
  expect(frames.filter((line) => !line.startsWith('at '))).toEqual([])
})

test('at most eight frames are kept', () => {
  const error = new Error('deep')
  error.stack = `Error: deep\n${Array.from({ length: 12 }, (_, n) => `    at f${n}\n`).join('')}`
  expect(failureFacts(error).frames).toEqual(Array.from({ length: 8 }, (_, n) => `at f${n}`))
})

test("SQLite's own number comes before the code of Node, and what is no error is named by its type", () => {
  const error = Object.assign(new Error('x'), { code: 'ERR_SQLITE_ERROR' })
  expect(failureFacts(error)).toMatchObject({ code: 'ERR_SQLITE_ERROR' })
  expect(failureFacts(Object.assign(error, { errcode: 19 }))).toMatchObject({ code: 19 })
  expect(failureFacts('planted')).toEqual({ error: 'string', frames: [] })
})
