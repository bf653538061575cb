import { createWriteStream, type WriteStream, writeSync } from 'node:fs'

const BATCH_CHARACTERS = 4_096
const WRITE_EVERY_MS = 500
const WAITING_BYTES = 8 * 1024 * 1024

/** Writes log lines in batches: one write per call would cost as much as the call. It never stops its process: when
 * the reader is gone, or is far behind, lines are dropped. */
class LogOutput {
  readonly #fd: number
  readonly #stream: WriteStream
  #lines = ''
  #isGone = false

  constructor(fd: number) {
    this.#fd = fd
    this.#stream = createWriteStream('', { fd, autoClose: false })
    this.#stream.on('error', () => {
      this.#isGone = true
    })
    setInterval(() => this.#send(), WRITE_EVERY_MS).unref()
    process.once('exit', () => this.#writeLast())
  }

  write(line: string): void {
    if (this.#isGone || this.#stream.writableLength > WAITING_BYTES) return
    this.#lines += line
    if (this.#lines.length >= BATCH_CHARACTERS) this.#send()
  }

  /** Resolves when the lines are written, or the reader is gone. */
  flush(): Promise<void> {
    return new Promise((resolve) => this.#send(() => resolve()))
  }

  #send(done?: () => void): void {
    const lines = this.#lines
    this.#lines = ''
    if (lines === '' && done === undefined) return
    this.#stream.write(lines, done)
  }

  // A reader that is still behind would keep the process for ever.
  #writeLast(): void {
    if (this.#isGone || this.#lines === '' || this.#stream.writableLength > 0) return
    try {
      writeSync(this.#fd, this.#lines)
    } catch {
      // The reader is gone.
    }
  }
}

const STANDARD_OUTPUT = 1
let output: LogOutput | null = null

/** The one output of all logs of this process. */
export function logOutput(): LogOutput {
  output ??= new LogOutput(STANDARD_OUTPUT)
  return output
}
