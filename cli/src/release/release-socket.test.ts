import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { stage } from '../../test/stage.ts'
import type { Notice, WaitingView } from '../terminal/waiting-view.ts'
import { askForCode, enterCode, giveCode, newAnswers, socketPath, takeCodes } from './release-socket.ts'

const ID = '7f9c2ba4e88f827d616045507605853e'

let folder: string
let stop: (() => void) | null
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'keyferry-codes-'))
  stop = null
})
afterEach(() => {
  stop?.()
  rmSync(folder, { recursive: true })
})

const at = () => stage({ XDG_RUNTIME_DIR: folder }, '/')
const path = () => socketPath(ID, at())

test('another shell can give the code, and gets the result', async () => {
  const taken: string[] = []
  writeFileSync(path(), '') // left by a client that was killed
  const answers = newAnswers()
  stop = await takeCodes(
    path(),
    async (code) => {
      taken.push(code)
      return code === '482913' ? null : 'that is not the code'
    },
    answers,
  )
  expect(path()).toBe(join(folder, 'keyferry', 'rel-7f9c2ba4e88f.sock'))
  expect(await giveCode(ID, '1\n2', at())).toBe('that is not the code')
  expect(await giveCode(ID, '482913', at())).toBe('ok')
  expect(taken).toEqual(['1 2', '482913'])
  await answers.settled()
  stop()
  expect(existsSync(path())).toBe(false)
  expect(await giveCode(ID, '482913', at())).toBeNull()
})

test('a text of 64 characters or more is not read', async () => {
  const taken: string[] = []
  stop = await takeCodes(path(), async (code) => {
    taken.push(code)
    return null
  })
  expect(await giveCode(ID, 'x'.repeat(63), at())).toBe('ok')
  expect(await giveCode(ID, 'x'.repeat(64), at())).toBe('the waiting client did not answer')
  expect(taken).toEqual(['x'.repeat(63)])
})

test('after a shell disconnects early, another shell can give the code', async () => {
  stop = await takeCodes(path(), async () => null)
  const socket = connect(path())
  await new Promise<void>((resolve) => void socket.write('12', () => resolve()))
  socket.destroy()
  expect(await giveCode(ID, '482913', at())).toBe('ok')
})

test.each([
  ['nothing', ''],
  ['too much', 'x'.repeat(1_001)],
])('a client that sends %s is reported as not answering', async (_, text) => {
  const server = createServer((socket) => void socket.once('data', () => socket.end(text)))
  await new Promise<void>((resolve) => void server.listen(path(), resolve))
  expect(await giveCode(ID, '482913', at())).toBe('the waiting client did not answer')
  server.close()
})

test('a code has six digits, with or without separators', async () => {
  const given: string[] = []
  const release = async (code: string) => {
    given.push(code)
    return null
  }
  expect(await enterCode(' 482-913 ', release)).toBeNull()
  for (const text of ['48291', '4829134', '48291x', ''])
    expect(await enterCode(text, release)).toBe('the code of the page has six digits')
  expect(given).toEqual(['482913'])
})

const judged = async (code: string) => (code === '482913' ? null : 'wrong')

test('the client asks until the code is right or the wait ends', async () => {
  const said: string[] = []
  const view = { say: ({ text }: Notice) => void said.push(text) } as unknown as WaitingView
  const asking = async (typed: (string | null)[], ended: AbortSignal = new AbortController().signal) => {
    const questions: string[] = []
    const parts = at()
    const askUntil = async (question: string) => {
      questions.push(question)
      return typed.shift() ?? null
    }
    await askForCode({ keyboard: { ...parts.keyboard, askUntil } }, { release: judged, view }, ended)
    return questions
  }
  const question = '  Then type the six digits from the page: '
  expect(await asking(['1', '111111', '482913', '482913'])).toEqual([question, question, question])
  expect(said).toEqual(['the code of the page has six digits', 'wrong'])
  expect(await asking([null, '482913'])).toEqual([question])
  expect(await asking(['482913'], AbortSignal.abort())).toEqual([])
})
