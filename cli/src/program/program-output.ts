import { createWriteStream } from 'node:fs'
import type { Readable, Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { codeOf, generalError } from '../base/cli-error.ts'

// Processes that the program leaves running may keep its output open. What the program itself wrote is in the pipe
// when it ends, and no pipe contains more than so many bytes.
const LAST_OUTPUT_MS = 1_000
const LAST_OUTPUT_BYTES = 1_024 * 1_024

/** Pass on what a program writes, until it has ended and its last output has arrived.
 * @param exited settles when the program ends
 * @param to a file descriptor of this process. If its reader closes it, the next write of the program fails, as it
 *   would without us
 * @throws CliError general: nothing more can be written to it, as on a full disk */
export async function passOn(
  from: Readable | null,
  { exited, through, to }: { exited: Promise<unknown>; through: Transform | null; to: Writable | 1 | 2 },
): Promise<void> {
  if (from === null) return
  const end = typeof to === 'number' ? createWriteStream('', { fd: to, autoClose: false }) : to
  const chunks = outputOf(from, exited)
  try {
    await (through === null ? pipeline(chunks, end) : pipeline(chunks, through, end))
  } catch (error) {
    if (codeOf(error) === 'EPIPE') return
    const what = `the output of the program cannot be written (${codeOf(error)})`
    throw generalError(what, 'Its output is incomplete. Check whether the disk is full.')
  }
}

/** Counts only the time in which it waits for output, because a slow reader must get all of it. */
async function* outputOf(from: Readable, exited: Promise<unknown>): AsyncGenerator<Buffer> {
  let isExited = false
  let wake: (() => void) | null = null
  const onEvent = (): void => wake?.()
  // From beginning to end: when a program exits, Node drops output that has no listener.
  for (const event of ['readable', 'end', 'close', 'error']) from.on(event, onEvent)
  const onExit = (): void => {
    isExited = true
    onEvent()
  }
  exited.then(onExit, onExit)
  let [leftMs, leftBytes] = [LAST_OUTPUT_MS, LAST_OUTPUT_BYTES]
  try {
    while (leftMs > 0 && leftBytes > 0) {
      const chunk: Buffer | null = from.read()
      if (chunk !== null) {
        yield chunk
        leftBytes -= isExited ? chunk.length : 0
      } else if (from.readableEnded || from.destroyed) return
      else leftMs -= await untilWoken((listener) => (wake = listener), isExited ? leftMs : null)
    }
  } finally {
    from.destroy()
  }
}

/** @returns how many of `atMostMs` it took; 0 if that is null */
async function untilWoken(listen: (wake: () => void) => void, atMostMs: number | null): Promise<number> {
  const startedMs = performance.now()
  let timer: NodeJS.Timeout | undefined
  await new Promise<void>((resolve) => {
    listen(resolve)
    if (atMostMs !== null) timer = setTimeout(resolve, atMostMs)
  })
  clearTimeout(timer)
  return atMostMs === null ? 0 : performance.now() - startedMs
}
