import { rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { runtimeFolder } from '../state/runtime-folder.ts'
import type { StateParts } from '../state/state-folder.ts'
import { type Answers, newAnswers } from './answers.ts'

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
