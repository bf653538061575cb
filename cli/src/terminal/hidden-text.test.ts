import { emitKeypressEvents, type Key } from 'node:readline'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { HiddenText, type TypingStep } from './hidden-text.ts'

/** What Node's own reader of keys makes of the bytes that a terminal sends. */
async function typed(sent: string): Promise<{ text: HiddenText; steps: TypingStep[] }> {
  const keys = new PassThrough()
  const text = new HiddenText()
  const steps: TypingStep[] = []
  emitKeypressEvents(keys)
  keys.on('keypress', (character: string | undefined, key: Key) => steps.push(text.next(character, key)))
  keys.write(sent)
  await new Promise((resolve) => setImmediate(resolve))
  return { text, steps: steps.filter((step) => step !== 'more') }
}

test.each([
  ['Ctrl-U', 'wrong\x15right', 'right'],
  ['Ctrl-W', 'right one wrong\x17\x17way', 'right way'],
  ['Ctrl-W at the start', '\x17right', 'right'],
  ['Backspace', 'rightt\x7f', 'right'],
  ['the arrows', 'rght\x1b[D\x1b[D\x1b[Di\x1b[C\x1b[C\x1b[C', 'right'],
  ['Home, End and Delete', 'xigh\x1b[H\x1b[3~r\x1b[Ft', 'right'],
  ['Ctrl-A, Ctrl-K and Ctrl-E', 'wrong\x01\x0bight\x01r\x05', 'right'],
  ['Ctrl-B and Ctrl-F', 'igt\x02h\x06\x01r', 'right'],
  ['keys without a meaning', 'ri\x1b[A\x1b[5~\x1bOPght', 'right'],
  ['a character of two code units', '\u{1f511}x\x7f\x1b[D\x1b[3~right', 'right'],
])('%s edits', async (_what, sent, expected) => {
  const { text } = await typed(sent)
  expect([text.text, text.isRefused, text.isUnclear]).toEqual([expected, false, false])
})

test.each([
  ['\x03', 'SIGINT'],
  ['\x1a', 'SIGTSTP'],
  ['\x1c', 'SIGQUIT'],
  ['\x04', 'end'],
  ['\r', 'line'],
  ['\n', 'line'],
] as const)('%j ends the reading, and is no character', async (key, step) => {
  const { text, steps } = await typed(`right${key}`)
  expect([text.text, text.isRefused, steps]).toEqual(['right', false, [step]])
})

test.each(['\x00', '\x07', '\t', '\x12', '\x1bx', '\x1b[31m', '\x9b', '\ufffd'])(
  '%j is refused',
  async (sent) => {
    expect((await typed(`a${sent}b`)).text.isRefused).toBe(true)
  },
)

test('a marked paste ends with its second mark', async () => {
  expect((await typed('\x1b[200~a')).steps).toEqual([])
  expect((await typed('\x1b[200~a\x1b[201~')).steps).toEqual(['pasted'])
})

test.each(['\x03', '\x04', '\x15', '\x1b[D', '\x7f'])(
  '%j in a marked paste is refused, and does nothing',
  async (sent) => {
    const { text, steps } = await typed(`\x1b[200~a${sent}b\x1b[201~`)
    expect([text.isRefused, steps]).toEqual([true, ['pasted']])
  },
)

test.each([
  ['CR', '\r'],
  ['LF', '\n'],
  ['CR LF', '\r\n'],
])('%s is one line end, marked or not, and the last one is dropped', async (_name, end) => {
  const marked = await typed(`\x1b[200~one\ttab${end}${end}two${end}\x1b[201~\r`)
  expect(marked.text).toMatchObject({
    text: 'one\ttab\n\ntwo',
    isUnclear: false,
    size: '3 lines, 12 characters',
  })
  const plain = await typed(`one${end}two${end}`)
  expect(plain.text).toMatchObject({ text: 'one\ntwo', isUnclear: true })
  expect((await typed(`one${end}`)).text).toMatchObject({ text: 'one', isUnclear: false })
})

test.each([
  ['a\r\nb', 'a\nb'],
  ['\na', '\na'],
  ['a\n\nb', 'a\n\nb'],
])('the line ends of a marked paste stay, and CR LF is one: %j', async (sent, expected) => {
  const { text } = await typed(`\x1b[200~${sent}\x1b[201~`)
  expect(text.text).toBe(expected)
})
