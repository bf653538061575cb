import { rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Parts } from '../base/parts.ts'
import { runtimeFolder, type StateParts } from '../state/state-folder.ts'
import { codeRefused, type WaitingView } from '../terminal/waiting-view.ts'

const LONGEST_CODE = 64
const IDLE_MS = 5_000
// A socket's path may have about 100 characters.
const ID_CHARACTERS = 12

/** The socket on which a waiting client takes a code from another shell of the same user. */
export function socketPath(id: string, parts: StateParts): string {
  return join(runtimeFolder(parts), `rel-${id.slice(0, ID_CHARACTERS)}.sock`)
}

/** Take codes, one a connection, and answer each with one line of text: `ok`, or why it was refused.
 * @param take what to do with a code; the reason if it is refused, else null
 * @param answers gets each answer until it is sent
 * @returns what stops it
 * @throws Error if the socket cannot be made */
export async function takeCodes(
  path: string,
  take: (code: string) => Promise<string | null>,
  answers: Answers = newAnswers(),
): Promise<() => void> {
  rmSync(path, { force: true }) // of a client that was killed; ids are never used twice
  const server = createServer((socket) => serve(socket, { take, answers }))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, resolve)
  })
  return () => {
    server.close()
    rmSync(path, { force: true })
  }
}

type Serving = { readonly take: (code: string) => Promise<string | null>; readonly answers: Answers }

function serve(socket: Socket, { take, answers }: Serving): void {
  let text = ''
  socket.setTimeout(IDLE_MS, () => socket.destroy())
  socket.on('error', () => socket.destroy())
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk
    if (text.length > LONGEST_CODE) socket.destroy()
    else if (text.endsWith('\n')) {
      socket.pause()
      answers.add(new Promise((resolve) => void socket.once('close', () => resolve())))
      void take(text.trim()).then((refusal) => void socket.end(`${refusal ?? 'ok'}\n`))
    }
  })
}

const SETTLE_MS = 1_000

export type Answers = ReturnType<typeof newAnswers>

/** The answers to browsers and other shells that are not sent yet. The process waits for them before it ends. */
export function newAnswers() {
  const underWay = new Set<Promise<void>>()
  return {
    add: (sent: Promise<void>): void => {
      underWay.add(sent)
      void sent.finally(() => underWay.delete(sent))
    },
    /** Resolves when all are sent, after a second at the latest. */
    settled: async (): Promise<void> => {
      const isLate = new Promise((resolve) => void setTimeout(resolve, SETTLE_MS).unref())
      await Promise.race([Promise.all(underWay), isLate])
    },
  }
}

const TIMEOUT_MS = 15_000
const LONGEST_ANSWER = 1_000
const NO_ANSWER = 'the waiting client did not answer'

/** Give a code to the client that waits for it.
 * @returns `ok`, or why it was refused; null if no client waits */
export function giveCode(id: string, code: string, parts: StateParts): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(socketPath(id, parts))
    let text = ''
    let isGiven = false
    const end = (answer: string | null): void => {
      socket.destroy()
      resolve(answer)
    }
    socket.setTimeout(TIMEOUT_MS, () => end(NO_ANSWER))
    socket.on('error', () => end(isGiven ? NO_ANSWER : null))
    socket.on('connect', () => {
      isGiven = true
      socket.write(`${code.replaceAll('\n', ' ')}\n`)
    })
    socket.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk
      if (text.length > LONGEST_ANSWER) end(NO_ANSWER)
    })
    socket.on('end', () => end(text === '' ? NO_ANSWER : text.trim()))
  })
}

const CODE = /^\d{6}$/

/** Hands a secret or a code to the server.
 * @returns why it was refused; null if the approval is released */
export type SocketRelease = (secret: string) => Promise<string | null>

/** Hand a code to the server.
 * @returns why it was refused; null if the approval is released */
export async function enterCode(text: string, release: SocketRelease): Promise<string | null> {
  const code = text.replace(/[\s-]/g, '')
  if (!CODE.test(code)) return 'the code of the page has six digits'
  return await release(code)
}

/** Ask for the code at the keyboard until it is right or the wait ends. */
export async function askForCode(
  { keyboard }: Pick<Parts, 'keyboard'>,
  { release, view }: { release: SocketRelease; view: WaitingView },
  ended: AbortSignal,
): Promise<void> {
  while (!ended.aborted) {
    const text = await keyboard.askUntil('  Then type the six digits from the page: ', ended)
    if (text === null) return
    const refusal = await enterCode(text, release)
    if (refusal === null) return
    if (!ended.aborted) view.say(codeRefused(refusal))
  }
}
