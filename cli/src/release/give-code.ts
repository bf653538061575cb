import { connect } from 'node:net'
import type { StateParts } from '../state/state-folder.ts'
import { socketPath } from './release-socket.ts'

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
